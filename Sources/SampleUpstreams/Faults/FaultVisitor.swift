public import HTTPModel

/// A visitor of the demo's page, named by a random ID. Faults that a visitor sets concern only requests with the same ID.
public struct FaultVisitor: Hashable, Sendable {
    /// The field of requests that carries the ID.
    public static let field: HTTPFieldName = "Demo-Visitor"

    private let id: String

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

    /// Returns the visitor of a request; nil if the field is missing.
    public static func read(_ fields: HTTPFields) throws(FaultError) -> FaultVisitor? {
        let values = fields.values(of: field)
        guard values.count < 2 else {
            throw FaultError("the field Demo-Visitor occurs \(values.count) times")
        }
        guard let id = values.first else { return nil }
        return try FaultVisitor(id)
    }
}
