import HTTPModel

/// The fields of a form, `application/x-www-form-urlencoded`, with typed access. A missing or invalid field
/// throws a `GatewayError.invalidRequest` that names it. Handlers let it propagate.
///
///     let form = try request.form()
///     let name: String = try form.value("name")
///     let amount = try form.value("amount", in: 1...10, default: 1)
public struct FormFields: Sendable {
    /// Most fields of a form. Beyond it: 400.
    public static let maximumCount = 1000

    private let items: [(name: String, value: String)]

    /// Parses fields as the WHATWG URL standard does (5.1), but refuses what it would replace: incomplete
    /// escapes and text that is not UTF-8.
    init(_ bytes: ArraySlice<UInt8>) throws(GatewayError) {
        var separators = 0
        for byte in bytes where byte == UInt8(ascii: "&") { separators += 1 }
        guard separators < Self.maximumCount else {
            throw .invalidRequest("The form has more than \(Self.maximumCount) fields")
        }
        do {
            items = try QueryItems(bytes).all()
        } catch {
            throw .invalidRequest("The form cannot be read: \(error)")
        }
    }

    /// The names in the order of the form, with repetitions.
    public var names: [String] { items.map(\.name) }

    /// Reads the field of that name, which must occur once.
    public func value<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value {
        guard let value = try value(ifPresent: name, as: type) else { throw Self.missing(name, type.rule) }
        return value
    }

    /// Reads the field of that name. Returns `defaultValue` if it is absent.
    public func value<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self, default defaultValue: Value
    ) throws(GatewayError) -> Value {
        try value(ifPresent: name, as: type) ?? defaultValue
    }

    /// Reads the field of that name. Returns `nil` if it is absent; throws if it occurs more than once.
    public func value<Value: RequestValue>(
        ifPresent name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> Value? {
        guard let text = try onlyText(of: name) else { return nil }
        return try GatewayRequest.read(text, as: type) { Self.subject(name) }
    }

    /// Reads all fields of that name, in order.
    public func values<Value: RequestValue>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(GatewayError) -> [Value] {
        var result: [Value] = []
        for text in texts(of: name) {
            result.append(try GatewayRequest.read(text, as: type) { Self.subject(name) })
        }
        return result
    }

    /// Reads the field of that name, which must occur once and be within `range`.
    public func value<Value: RequestValue & Comparable>(
        _ name: String, in range: ClosedRange<Value>
    ) throws(GatewayError) -> Value {
        guard let value = try ranged(name, range) else { throw Self.missing(name, range.requestRule) }
        return value
    }

    /// Reads the field of that name, which must be within `range`. Returns `defaultValue` if it is absent.
    public func value<Value: RequestValue & Comparable>(
        _ name: String, in range: ClosedRange<Value>, default defaultValue: Value
    ) throws(GatewayError) -> Value {
        try ranged(name, range) ?? defaultValue
    }

    // MARK: Texts

    private func ranged<Value: RequestValue & Comparable>(
        _ name: String, _ range: ClosedRange<Value>
    ) throws(GatewayError) -> Value? {
        guard let text = try onlyText(of: name) else { return nil }
        return try GatewayRequest.read(text, in: range) { Self.subject(name) }
    }

    func texts(of name: String) -> [String] {
        // By bytes, as in queries: `==` equates the two spellings of an accented letter.
        items.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
    }

    func onlyText(of name: String) throws(GatewayError) -> String? {
        let values = texts(of: name)
        guard values.count < 2 else { throw .repeated(Self.subject(name), values.count) }
        return values.first
    }

    static func subject(_ name: String) -> String { "Form field \"\(name)\"" }

    static func missing(_ name: String, _ rule: String) -> GatewayError {
        .missing(subject(name), mustBe: rule)
    }
}
