return obj
