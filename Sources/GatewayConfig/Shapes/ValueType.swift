import ASCIIText
import EndpointPlans

/// The type of a value of the format: how it is read, and how a JSON Schema describes it.
struct ValueType<Value: Sendable>: Sendable {
    typealias Read = @Sendable (_ node: YAMLNode, _ subject: Subject, _ reader: ConfigReader) -> Value?
    typealias MakeSchema = @Sendable (inout SchemaDefinitions) -> SchemaTree

    let schema: MakeSchema
    /// Returns the value; nil after a problem.
    let read: Read
    /// Returns a value as YAML writes it. Nil if it is not one scalar.
    let written: (@Sendable (Value) -> String?)?
    /// The object of the format that a mapping is. Nil if the value is not such an object.
    private(set) var shape: (@Sendable () -> Shape)?

    init(
        schema: @escaping MakeSchema, read: @escaping Read, written: (@Sendable (Value) -> String?)? = nil
    ) {
        self.schema = schema
        self.read = read
        self.written = written
    }

    /// A value that is one scalar.
    ///
    /// - Parameters:
    ///   - tree: the schema of a scalar without variables.
    ///   - unknown: stands for a variable that is not read.
    ///   - written: returns a value as YAML writes it.
    ///   - parse: returns the value, or throws what is wrong with it.
    init(
        _ tree: @escaping @autoclosure @Sendable () -> SchemaTree, unknown: Value?,
        written: (@Sendable (Value) -> String?)? = nil,
        parse: @escaping @Sendable (YAMLScalar) throws(ScalarFault) -> Value
    ) {
        self.written = written
        schema = { _ in tree() }
        read = { node, subject, reader in
            guard let scalar = reader.scalar(node, subject) else { return nil }
            if scalar.isUnknown, let unknown { return unknown }
            do throws(ScalarFault) {
                return try parse(scalar)
            } catch {
                reader.error(error.message(scalar, subject), at: node.place)
                return nil
            }
        }
    }

    func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> ValueType<Other> {
        ValueType<Other>(schema: schema) { node, subject, reader in
            read(node, subject, reader).map(transform)
        }.withShape(shape)
    }

    /// The value, of which a mapping is an object of the format.
    func withShape(_ shape: (@Sendable () -> Shape)?) -> ValueType {
        var type = self
        type.shape = shape
        return type
    }

    /// The value, with another form in output.
    func shown(_ written: @escaping @Sendable (Value) -> String?) -> ValueType {
        ValueType(schema: schema, read: read, written: written).withShape(shape)
    }

    /// The value, with a hint for a list in its place.
    func notList(_ hint: String) -> ValueType {
        ValueType(schema: schema) { node, subject, reader in
            guard case .list = node.content else { return read(node, subject, reader) }
            reader.error("\(subject.text): a list is not allowed here" + hint, at: node.place)
            return nil
        }.withShape(shape)
    }

    /// The value, with a hint for a mapping in its place.
    func notMapping(_ hint: String) -> ValueType {
        ValueType(schema: schema) { node, subject, reader in
            guard case .map(let map) = node.content, UnquotedBraces.message(map) == nil else {
                return read(node, subject, reader)
            }
            reader.error("\(subject.text): a mapping is not allowed here" + hint, at: node.place)
            return nil
        }.withShape(shape)
    }

    /// The value with its place.
    var located: ValueType<Located<Value>> {
        ValueType<Located<Value>>(schema: schema) { node, subject, reader in
            read(node, subject, reader).map { Located($0, at: node.place) }
        }.withShape(shape)
    }
}

/// What is wrong with a scalar.
enum ScalarFault: Error {
    /// Phrased to follow the member and the value: "is not a whole number".
    case unfit(String)
    /// Phrased to follow the value alone: "needs a unit: 5s".
    case bare(String)
    /// A number, as it may be shown, without the unit of its quantity, and the range of the value.
    case unitless(String, Quantity, ClosedRange<Int>)
    /// Phrased to follow the member. For values that are not shown.
    case rule(String)
    /// A whole message.
    case message(String)

    func message(_ scalar: YAMLScalar, _ subject: Subject) -> String {
        switch self {
        case .unfit(let text): "\(subject.text): \(Self.shown(scalar)) \(text)"
        case .bare(let text): "\(Self.shown(scalar)) \(text)"
        case .unitless(let number, let quantity, let range):
            "\(Self.shown(scalar)) needs a unit: "
                + quantity.withUnit(number, standard: subject.standard, range: range)
        case .rule(let text): "\(subject.text): \(text)"
        case .message(let text): text
        }
    }

    /// What begins with a digit and has no quotes in the file has none here, and other text has.
    static func shown(_ scalar: YAMLScalar) -> String {
        let isNumber = scalar.style == .plain && scalar.text.utf8.first.map(ASCII.isDigit) == true
        return isNumber && scalar.substitution == nil ? Shown.text(scalar.text) : scalar.shown
    }
}

extension YAMLScalar {
    /// Returns `; did you mean "debug"?`, or nothing. The value of a variable is not compared, because that
    /// would tell about it.
    func suggestion(among words: [String]) -> String {
        substitution == nil ? Suggestion.text(for: text, among: words) : ""
    }
}
