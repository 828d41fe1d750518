import ASCIIText
import HTTPModel
@_spi(Lines) import JSONBytes
package import JSONSchema

/// A parameter of an operation, or a field of a response.
package struct ContractParameter: Sendable {
    package let name: String
    package let location: ParameterPlace
    package let isRequired: Bool
    /// Whether an empty value is allowed whatever the schema says.
    package let allowsEmpty: Bool
    /// How its text is read; nil if the style is not known, so that its value is not checked.
    package let style: ParameterStyle?
    /// nil if it accepts any value.
    package let schema: JSONSchema?
    let shape: ParameterShape?
    let field: HTTPFieldName?
    let document: String
    let place: SchemaPlace

    init(_ model: ParameterModel, _ schema: JSONSchema?) {
        name = model.name
        location = model.location
        isRequired = model.isRequired
        allowsEmpty = model.allowsEmpty
        style = model.style
        self.schema = schema
        shape = schema.map { ParameterShape($0) }
        field = model.location == .field ? HTTPFieldName(model.name) : nil
        document = model.document
        place = model.place
    }

    // MARK: - Faults

    /// Adds what is wrong with what a message has for this parameter.
    func check(_ reading: ParameterReading, _ side: ContractFault.Side, _ faults: inout [ContractFault]) {
        switch reading {
        case .missing:
            if isRequired { faults.append(fault("required", "present", side)) }
        case .malformed(let rule): faults.append(fault("style", rule, side))
        case .values(let texts):
            guard let schema else { return }
            for values in texts {
                guard let first = values.first else { continue }
                let found = schema.faults(in: first)
                guard !found.isEmpty, !values.dropFirst().contains(where: { schema.accepts($0) }) else {
                    continue
                }
                faults += found.map { ContractFault($0, side, subject) }
            }
        }
    }

    private var subject: ContractFault.Subject {
        switch location {
        case .path: .path(name)
        case .query: .query(name)
        case .field: .field(name)
        }
    }

    private func fault(_ keyword: String, _ rule: String, _ side: ContractFault.Side) -> ContractFault {
        ContractFault(
            side: side, subject: subject, at: "", keyword: keyword, rule: rule, document: document,
            place: place)
    }

    // MARK: - Reading

    /// Reads the value of a path's parameter, percent-encoded as it is.
    func reading(ofSegment text: ArraySlice<UInt8>) -> ParameterReading {
        read(text) { text in (try? PercentEncoding.decodeString(text)).map { Array($0.utf8) } }
    }

    /// Reads a field of a request or response.
    func reading(in fields: HTTPFields) -> ParameterReading {
        guard let field else { return .missing }
        let values = fields.valueBytes(of: field)
        guard !values.isEmpty else { return .missing }
        guard let shape, style != .json, shape.isArray || shape.isObject else {
            return readings(values) { trimmed($0) }
        }
        // Fields with one name are one list (RFC 9110 5.3).
        return read(Array(values.joined(separator: [Byte.comma]))[...]) { trimmed($0) }
    }

    private func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBytes { Array(ASCII.trimmed($0)) }
    }

    /// Reads the value of a query's parameter.
    ///
    /// - Parameter isOther: whether another parameter has a name.
    func reading(in query: QueryPieces, isOther: (String) -> Bool) -> ParameterReading {
        guard let shape, let style, style != .json else {
            let values = query.items.filter { $0.name == name }.map(\.value)
            return values.isEmpty ? .missing : readings(values, QueryPieces.decode)
        }
        let isExploded = style == .form(explode: true)
        if isExploded, shape.isObject { return members(in: query, shape, isOther) }
        let values = query.items.filter { $0.name == name }.map(\.value)
        guard !values.isEmpty else { return .missing }
        guard isExploded, shape.mayBeArray else { return readings(values, QueryPieces.decode) }
        var elements: [[UInt8]] = []
        for value in values {
            guard let decoded = QueryPieces.decode(value) else { return ParameterWriter.badEscape }
            elements.append(decoded)
        }
        let writer = ParameterWriter(shape: shape)
        let scalars = elements.count == 1 && !shape.isArray ? writer.scalars(elements[0]) : []
        return .values([scalars + [writer.array(elements)]])
    }

    /// Reads an object whose members are parameters themselves.
    private func members(
        in query: QueryPieces, _ shape: ParameterShape, _ isOther: (String) -> Bool
    ) -> ParameterReading {
        var members: [(name: [UInt8], value: [UInt8])] = []
        for item in query.items {
            guard shape.members[item.name] != nil || shape.isOpen && !isOther(item.name) else { continue }
            guard let value = QueryPieces.decode(item.value) else { return ParameterWriter.badEscape }
            members.append((Array(item.name.utf8), value))
        }
        return members.isEmpty ? .missing : .values([[ParameterWriter(shape: shape).object(members)]])
    }

    /// Reads texts, each of which is a value.
    private func readings(
        _ texts: [ArraySlice<UInt8>], _ decode: ParameterWriter.Decoder
    ) -> ParameterReading {
        var values: [[JSONFragment]] = []
        for text in texts {
            switch read(text, decode) {
            case .values(let more): values += more
            case .malformed(let rule): return .malformed(rule)
            case .missing: break
            }
        }
        return .values(values)
    }

    private func read(_ text: ArraySlice<UInt8>, _ decode: ParameterWriter.Decoder) -> ParameterReading {
        guard let style, let shape, !(allowsEmpty && text.isEmpty) else { return .values([]) }
        switch style {
        case .simple(let explode):
            return ParameterWriter(shape: shape).read(text, isExploded: explode, decode)
        case .form: return ParameterWriter(shape: shape).read(text, isExploded: false, decode)
        case .json:
            guard let decoded = decode(text), let value = try? JSONFragment(validating: decoded[...]) else {
                return .malformed("JSON")
            }
            return .values([[value]])
        }
    }
}
