import ASCIIText
package import HTTPModel
import JSONSchema

/// A response, as its contract sees it.
package struct ContractResponse: Sendable {
    package var status: Int
    package var fields: HTTPFields
    /// `none` for an empty body.
    package var body: ContractBody
    /// Whether the method was HEAD: such a response never has a body.
    package var isForHead: Bool

    package init(
        status: Int, fields: HTTPFields = HTTPFields(), body: ContractBody = .none, isForHead: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isForHead = isForHead
    }
}

/// What responses of an operation must be.
package struct ResponseContract: Sendable {
    struct Entry: Sendable {
        let key: ResponseKey
        let fields: [ContractParameter]
        let content: ContractContent
    }

    let entries: [Entry]
    private let document: String
    private let place: SchemaPlace

    init(_ model: OperationModel, _ schemas: SchemaTable) {
        entries = model.responses.map { response in
            Entry(
                key: response.key,
                fields: response.fields.map { ContractParameter($0, $0.schema.flatMap { schemas[$0] }) },
                content: ContractContent(response.content, schemas))
        }
        document = model.responsesDocument
        place = model.responsesPlace
    }

    private func entry(for status: Int) -> Entry? {
        entries.first { $0.key == .status(status) } ?? entries.first { $0.key == .range(status / 100) }
            ?? entries.first { $0.key == .others }
    }

    /// Whether a status is described, exactly, by its range or by `default`.
    package func describes(_ status: Int) -> Bool { entry(for: status) != nil }

    /// Returns what is wrong with a response; nothing if it follows the contract.
    package func faults(of response: ContractResponse) -> [ContractFault] {
        guard let entry = entry(for: response.status) else {
            let known = Words.list(entries.map(\.key.text))
            return [
                ContractFault(
                    side: .response, subject: .status, at: "", keyword: "status",
                    rule: known.isEmpty ? "documented" : known, document: document, place: place)
            ]
        }
        var faults: [ContractFault] = []
        for field in entry.fields { field.check(field.reading(in: response.fields), .response, &faults) }
        let mayHaveBody =
            !response.isForHead && !(HTTPStatus(code: response.status)?.forbidsBody ?? false)
        guard mayHaveBody, !entry.content.entries.isEmpty else { return faults }
        if case .none = response.body {
            faults.append(entry.content.fault("required", "present", .response, .body))
        } else {
            let type = response.fields.firstValueBytes("Content-Type")
            entry.content.check(response.body, type, .response, &faults)
        }
        return faults
    }

    /// The contents of the responses with 2xx, or of `default` without any.
    var successes: [ContractContent] {
        let found = entries.filter {
            switch $0.key {
            case .status(let code): (200..<300).contains(code)
            case .range(let hundreds): hundreds == 2
            case .others: false
            }
        }
        return (found.isEmpty ? entries.filter { $0.key == .others } : found).map(\.content)
    }
}

/// Which statuses a response is about.
enum ResponseKey: Sendable, Hashable {
    case status(Int)
    /// `2XX`: by the first digit.
    case range(Int)
    case others

    init?(_ text: String) {
        if text == "default" {
            self = .others
        } else if text.utf8.count == 3, text.hasSuffix("XX"), let digit = Int(text.prefix(1)),
            (1...5).contains(digit)
        {
            self = .range(digit)
        } else if text.utf8.count == 3, let code = Int(text), (100...599).contains(code) {
            self = .status(code)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .status(let code): "\(code)"
        case .range(let digit): "\(digit)XX"
        case .others: "default"
        }
    }
}
