import HTTPModel
import JSONBytes
import JSONSchema

@testable import OpenAPI

/// Documents by their URIs, as tests write them. The first one is `shop.json`.
func document(
    _ texts: [String: String], bounds: OpenAPIBounds = OpenAPIBounds()
) throws(JSONSchemaError) -> OpenAPIDocument {
    let sources = texts.mapValues { OpenAPISource.json(Array(expanded($0).utf8)[...]) }
    return try OpenAPIDocument("shop.json", bounds: bounds) { sources[$0] }
}

/// Tests write `"~Order"` for `"#/components/schemas/Order"`, and `"~~name"` for an anchor, because a quote
/// and a number sign end their texts.
private func expanded(_ text: String) -> String {
    text.split(separator: "\"~~", omittingEmptySubsequences: false).joined(separator: "\"#")
        .split(separator: "\"~", omittingEmptySubsequences: false).joined(
            separator: "\"#/components/schemas/")
}

/// A description with these members.
func description(_ members: String, version: String = "3.0.3") -> String {
    #"{"openapi":"\#(version)","info":{"title":"Shop","version":"1"},\#(members)}"#
}

/// An operation with these members: `GET /orders/{id}`, or another.
func operation(
    _ members: String, version: String = "3.0.3", _ method: String = "get", _ path: String = "/orders/{id}",
    components: String = "{}", _ texts: [String: String] = [:]
) throws -> OperationContract {
    var texts = texts
    texts["shop.json"] = description(
        #""paths":{"\#(path)":{"\#(method)":{\#(members)}}},"components":\#(components)"#, version: version)
    let document = try document(texts)
    return try OpenAPIContract(document, operations: document.operations.operations).operations[0]
}

/// An operation whose request body, and whose response of status 200, have a schema.
func operation(
    schema: String, version: String = "3.0.3", components: String = "{}", _ texts: [String: String] = [:]
) throws -> OperationContract {
    let content = #"{"application/json":{"schema":\#(schema)}}"#
    return try operation(
        #""requestBody":{"required":true,"content":\#(content)},"responses":{"200":{"content":\#(content)}}"#,
        version: version, "post", "/orders", components: components, texts)
}

/// An operation with one parameter.
func operation(parameter: String, version: String = "3.0.3", _ path: String = "/orders") throws
    -> OperationContract
{
    try operation(#""parameters":[\#(parameter)],"responses":{}"#, version: version, "get", path)
}

/// The problems of a description, one line each, warnings included.
func problems(_ texts: [String: String], bounds: OpenAPIBounds = OpenAPIBounds()) -> [String] {
    do throws(JSONSchemaError) {
        let document = try document(texts, bounds: bounds)
        let contract = try OpenAPIContract(document, operations: document.operations.operations)
        return (document.warnings + contract.warnings).map(\.description)
    } catch {
        return error.problems.map(\.description)
    }
}

/// The fields of a message.
func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
        guard let name = HTTPFieldName(name) else { throw TestFailure() }
        fields.append(name, value)
    }
    return fields
}

struct TestFailure: Error {}

extension OperationContract {
    /// The faults of a request: `query limit minimum`.
    func faults(
        path: String = "/orders", query: String? = nil, fields pairs: [(String, String)] = [],
        body: String? = nil,
        type: String? = "application/json"
    ) throws -> [String] {
        let type = body == nil ? nil : type
        let request = ContractRequest(
            path: Array(path.utf8)[...], query: query.map { Array($0.utf8)[...] },
            fields: try fields(pairs + (type.map { [("Content-Type", $0)] } ?? [])),
            body: body.map { .bytes(Array($0.utf8)[...]) } ?? .none)
        return request.faults(by: self)
    }

    /// The faults of a response.
    func responseFaults(
        _ status: Int = 200, fields pairs: [(String, String)] = [], body: String? = nil,
        type: String? = "application/json", isForHead: Bool = false
    ) throws -> [String] {
        let type = body == nil ? nil : type
        let response = ContractResponse(
            status: status, fields: try fields(pairs + (type.map { [("Content-Type", $0)] } ?? [])),
            body: body.map { .bytes(Array($0.utf8)[...]) } ?? .none, isForHead: isForHead)
        return self.response.faults(of: response).map(\.short)
    }
}

extension ContractRequest {
    func faults(by contract: OperationContract) -> [String] { contract.request.faults(of: self).map(\.short) }
}

extension ContractFault {
    /// `query limit minimum`, `body /lines/0/count minimum`.
    var short: String {
        let subject =
            switch self.subject {
            case .path(let name): "path \(name)"
            case .query(let name): "query \(name)"
            case .field(let name): "field \(name)"
            case .contentType: "type"
            case .status: "status"
            case .body: "body"
            }
        return at.isEmpty ? "\(subject) \(keyword)" : "\(subject) \(at) \(keyword)"
    }
}
