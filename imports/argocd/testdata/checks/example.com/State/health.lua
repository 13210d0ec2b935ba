return obj.status
