import FoundationEssentials

/// A value under construction, filled by an encoder's containers.
final class ParameterNode {
    enum Content {
        case nothing
        case value(ParameterValue)
        case list([ParameterNode])
        case object(ParameterMembers)
    }

    var content = Content.nothing

    /// The finished value. Like `JSONEncoder`, an encoder that wrote nothing produces an empty object.
    var parameterValue: ParameterValue {
        switch content {
        case .nothing: .object([])
        case .value(let value): value
        case .list(let nodes): .list(nodes.map(\.parameterValue))
        case .object(let members):
            .object(members.all.map { ParameterValue.Member(name: $0.name, value: $0.node.parameterValue) })
        }
    }

    func appendElement() -> ParameterNode {
        let node = ParameterNode()
        guard case .list(var nodes) = content else {
            content = .list([node])
            return node
        }
        content = .nothing
        nodes.append(node)
        content = .list(nodes)
        return node
    }

    /// Adds a node for the named member. A second member with that name replaces the first.
    func member(_ name: String) -> ParameterNode {
        let node = ParameterNode()
        var members = ParameterMembers()
        if case .object(let known) = content { members = known }
        content = .nothing
        members.set(name, node)
        content = .object(members)
        return node
    }

    var elementCount: Int {
        if case .list(let nodes) = content { nodes.count } else { 0 }
    }

    func becomeObject() {
        if case .object = content {} else { content = .object(ParameterMembers()) }
    }

    func becomeList() {
        if case .list = content {} else { content = .list([]) }
    }
}

/// The members of an object under construction, in the order in which their names came.
struct ParameterMembers {
    private(set) var all: [(name: String, node: ParameterNode)] = []
    /// The places of the names in `all`. Empty while there are few, which are found faster without.
    private var places: [String: Int] = [:]

    mutating func set(_ name: String, _ node: ParameterNode) {
        if let place = place(of: name) {
            all[place].node = node
            return
        }
        all.append((name, node))
        if all.count == 32 {
            for (place, member) in all.enumerated() { places[member.name] = place }
        } else if all.count > 32 {
            places[name] = all.count - 1
        }
    }

    private func place(of name: String) -> Int? {
        all.count < 32 ? all.firstIndex { $0.name == name } : places[name]
    }
}

/// Encodes a model as parameters, with the settings of a `URLEncodedFormEncoder`.
struct ParameterValueEncoder: Encoder {
    let settings: URLEncodedFormEncoder
    let codingPath: [any CodingKey]
    let node: ParameterNode
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(
        _ settings: URLEncodedFormEncoder, at codingPath: [any CodingKey] = [],
        into node: ParameterNode = ParameterNode()
    ) {
        self.settings = settings
        self.codingPath = codingPath
        self.node = node
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedParameters<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeList()
        return UnkeyedParameters(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleParameter(encoder: self)
    }

    /// Writes a value: a date, data, a URL, a decimal, or anything that encodes itself.
    func encode(_ value: some Encodable) throws {
        do {
            if let date = value as? Date, let encode = settings.dateEncoding.encode {
                return node.content = .value(try encode(date))
            }
            if let data = value as? Data, let encode = settings.dataEncoding.encode {
                return node.content = .value(.text(try encode(data)))
            }
        } catch {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: codingPath, debugDescription: "the encoding strategy failed",
                    underlyingError: error))
        }
        if let url = value as? URL { return node.content = .value(.text(url.absoluteString)) }
        if let decimal = value as? Decimal { return node.content = .value(.text(decimal.description)) }
        try value.encode(to: self)
    }

    func write(_ value: ParameterValue) {
        node.content = .value(value)
    }

    func writeNil() {
        node.content = .value(settings.nilEncoding.encode())
    }

    /// Writes the shortest text that reads back as the same number.
    func write(_ number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
        guard number.isFinite else { throw invalid(number, "it is not a finite number") }
        write(.text(number.description))
    }

    /// Writes an integer, as text if it exceeds `Int64`.
    func write(_ integer: some FixedWidthInteger) {
        write(Int64(exactly: integer).map { .integer($0) } ?? .text(String(integer)))
    }

    func invalid(_ value: Any, _ text: String) -> EncodingError {
        EncodingError.invalidValue(
            value, EncodingError.Context(codingPath: codingPath, debugDescription: text))
    }

    func member(_ key: any CodingKey) -> ParameterValueEncoder {
        let name = settings.keyEncoding.encode(key.stringValue)
        return ParameterValueEncoder(settings, at: codingPath + [key], into: node.member(name))
    }

    func element() -> ParameterValueEncoder {
        let key = ParameterKey(intValue: node.elementCount)
        return ParameterValueEncoder(settings, at: codingPath + [key], into: node.appendElement())
    }
}

struct ParameterKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }
}
