public import HTTPModel

/// A visitor of the demo's page, named by a random ID. The faults that a visitor sets and the weights that a visitor records concern
/// only requests with the same ID.
public struct SampleVisitor: Hashable, Sendable {
    /// The field of requests that carries the ID.
    public static let field: HTTPFieldName = "Demo-Visitor"

    /// 16 to 64 ASCII letters, digits and hyphens.
    let id: String

    /// Takes an ID of 16 to 64 ASCII letters, digits and hyphens.
    init(_ id: String) throws(FaultError) {
        let isValid = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isValid, (16...64).contains(id.utf8.count) else {
            throw FaultError("the field Demo-Visitor must have 16 to 64 letters, digits and hyphens")
        }
        self.id = id
    }

    /// The query parameter that carries the ID in requests that a page sends to an upstream itself. With a field of its own, a browser
    /// would ask for permission before each of them (Fetch, CORS-preflight).
    static let parameter = "visitor"

    /// Returns the visitor of a request; nil if the field is missing.
    public static func read(_ fields: HTTPFields) throws(FaultError) -> SampleVisitor? {
        let values = fields.values(of: field)
        guard values.count < 2 else {
            throw FaultError("the field Demo-Visitor occurs \(values.count) times")
        }
        guard let id = values.first else { return nil }
        return try SampleVisitor(id)
    }

    /// Returns the visitor that the field or the query names; nil if neither does.
    static func read(_ head: HTTPRequestHead) throws(FaultError) -> SampleVisitor? {
        let named = try read(head.fields)
        let values: [String]
        do throws(PercentEncoding.Failure) {
            values = try QueryItems(head.target.queryBytes).values(of: parameter)
        } catch {
            throw FaultError("the query cannot be read: an escape \(error)")
        }
        guard values.count + (named == nil ? 0 : 1) < 2 else {
            throw FaultError("the visitor is named more than once, by the field Demo-Visitor or in the query")
        }
        guard let id = values.first else { return named }
        return try SampleVisitor(id)
    }
}
