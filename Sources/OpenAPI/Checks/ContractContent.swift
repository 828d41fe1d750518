import ASCIIText
import HTTPModel
import JSONBytes
import JSONSchema

/// The media types of a body, with their schemas.
struct ContractContent: Sendable {
    struct Entry: Sendable {
        /// As the description writes it, in lower case.
        let text: String
        /// nil for a range such as `text/*`.
        let type: MediaType?
        let schema: JSONSchema?
    }

    let entries: [Entry]
    let document: String
    let place: SchemaPlace

    init(_ model: ContentModel, _ schemas: SchemaTable) {
        entries = model.types.map { text, root in
            let type = MediaType(text)
            return Entry(
                text: text.lowercased(), type: type?.type == "*" || type?.subtype == "*" ? nil : type,
                schema: root.flatMap { schemas[$0] })
        }
        document = model.document
        place = model.place
    }

    /// The entry of a content type: one with the same parameters, else of the same type, else a range.
    private func entry(for type: MediaType) -> Entry? {
        let same = entries.filter { $0.type?.isSameType(as: type) ?? false }
        if let exact = same.first(where: { $0.type?.parameters == type.parameters }) { return exact }
        if let plain = same.first(where: { $0.type?.parameters.isEmpty ?? false }) ?? same.first {
            return plain
        }
        return entries.first { $0.text == "\(type.type)/*" }
            ?? entries.first { $0.text == "*/*" || $0.text == "*" }
    }

    /// Adds what is wrong with a body that is there.
    ///
    /// - Parameter contentType: the value of the field; nil without one.
    func check(
        _ body: ContractBody, _ contentType: ArraySlice<UInt8>?, _ side: ContractFault.Side,
        _ faults: inout [ContractFault]
    ) {
        guard !entries.isEmpty else { return }
        var entry: Entry?
        var isJSON = false
        if let contentType {
            // The commonest case without a look at the parts of the type.
            entry = entries.first { $0.type != nil && contentType.elementsEqual($0.text.utf8) }
            isJSON = entry?.type?.isJSON ?? false
            if entry == nil, let type = MediaType(bytes: contentType) {
                entry = self.entry(for: type)
                isJSON = type.isJSON
            }
        }
        guard let entry else {
            let rule = Words.list(entries.map(\.text))
            return faults.append(fault("content-type", rule, side, .contentType))
        }
        guard isJSON, let schema = entry.schema else { return }
        let value: JSONFragment
        switch body {
        case .none: return
        case .json(let fragment): value = fragment
        case .bytes(let bytes):
            guard let fragment = try? JSONFragment(validating: bytes) else {
                return faults.append(fault("json", "JSON", side, .body))
            }
            value = fragment
        }
        for found in schema.faults(in: value) { faults.append(ContractFault(found, side, .body)) }
    }

    func fault(
        _ keyword: String, _ rule: String, _ side: ContractFault.Side, _ subject: ContractFault.Subject
    ) -> ContractFault {
        ContractFault(
            side: side, subject: subject, at: "", keyword: keyword, rule: rule, document: document,
            place: place)
    }

    /// The schemas of the JSON types; nil if one of them accepts everything.
    var jsonSchemas: [JSONSchema]? {
        var schemas: [JSONSchema] = []
        for entry in entries where entry.type?.isJSON ?? true {
            guard let schema = entry.schema else { return nil }
            schemas.append(schema)
        }
        return schemas
    }
}
