package import AccessControl
public import HTTPModel

/// Keys of clients, kept as digests in a file.
public struct APIKeySettings: Sendable, Hashable {
    /// The path of the file. Each line has a name, the SHA-256 of a key in hexadecimal digits and, behind
    /// them, claims: `shop 9f86d0... plan=pro`. At most 100 000 lines. Empty for lines in Swift.
    public var file: String
    /// The field of the request that has the key. Default `X-API-Key`.
    public var header: HTTPFieldName
    /// What the file contains, or the lines in Swift; nil if the gateway reads the file.
    package var contents: [UInt8]?
    /// The keys of the file, if they have been read.
    package var table: APIKeyTable?

    /// Creates settings with the default field.
    public init(file: String, header: HTTPFieldName = "X-API-Key") {
        self.file = file
        self.header = header
    }

    /// Creates settings with the lines themselves, as `sluice key NAME` prints them.
    public init(lines: [String], header: HTTPFieldName = "X-API-Key") {
        self.init(file: "", header: header)
        contents = Array(lines.joined(separator: "\n").utf8)
    }

    /// Settings without a file.
    package init() { self.init(file: "") }
}
