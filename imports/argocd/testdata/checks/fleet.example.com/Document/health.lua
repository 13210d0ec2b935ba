return {status = obj.spec.s, message = obj.spec.m}
