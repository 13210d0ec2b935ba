-- InterpretStatus training
function ReflectStatus(o)
  return {
    floor = math.floor(-2.5), ceil = math.ceil(-2.5), abs = math.abs(-7), max = math.max(1, 5, 3), min = math.min(4, 2), mod = math.fmod(7, 3), sqrt = math.sqrt(16),
    whole = 4 / 2, fraction = 7 / 2, huge = 2 ^ 31, million = 1e6, negative = -3 % 5, division = math.floor(7 / 2), round = math.floor(2.5 + 0.5), pi = math.floor(math.pi * 100) / 100,
    ttl = o.spec.runPolicy.ttlSecondsAfterFinished / 3600, large = 2 ^ 53 - 1, int, isInt = 3 == math.floor(3), infinite = 1 / 0 == math.huge, nan = 0 / 0 ~= 0 / 0,
    random = math.random() < 1 and math.random(5) <= 5, power = math.pow(2, 8), exp = math.exp(0), log = math.log(1), deg = math.floor(math.deg(math.pi) + 0.5), modf = { math.modf(3.25) },
    compare = 3 == 3.0, text = "10" == 10, pct = math.floor(o.spec.replicaSpecs.Worker.replicas * 0.3 + 0.5), bit = 5 % 2 == 1,
  }
end
