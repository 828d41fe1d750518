/// Its keys are member names, which no key strategy converts.
protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}
