extension GatewayRequest {
    /// Reads the query parameter of that name, which must occur once and be within `range`:
    ///
    ///     let nx = try request.query("nx", in: 1...149)   // else 400: "nx" must be an integer from 1 to 149
    public func query<Value: RequestValue & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(GatewayError) -> Value {
        guard let value = try value(name, in: range) else {
            throw .missing(Self.querySubject(name), mustBe: range.requestRule)
        }
        return value
    }

    /// Reads the query parameter of that name, which must be within `range`. Returns `defaultValue` if it is
    /// absent.
    public func query<Value: RequestValue & Comparable>(
        _ name: String, in range: ClosedRange<Value>, default defaultValue: Value
    ) throws(GatewayError) -> Value {
        try value(name, in: range) ?? defaultValue
    }

    private func value<Value: RequestValue & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(GatewayError) -> Value? {
        guard let text = try onlyText(of: name) else { return nil }
        return try Self.read(text, in: range) { Self.querySubject(name) }
    }
}

extension ClosedRange where Bound: RequestValue {
    /// What a value in this range must be: `an integer from 1 to 149`.
    var requestRule: String { "\(Bound.rule) from \(lowerBound) to \(upperBound)" }
}
