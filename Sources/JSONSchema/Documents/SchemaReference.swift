import HTTPModel
package import JSONBytes

/// A reference from one document to another, or within one, as the URI of a document and a fragment.
package struct SchemaReference: Sendable, Hashable {
    /// The URI of the document, without a fragment.
    package let document: String
    /// What follows `#`, decoded; nil for a malformed escape.
    package let fragment: String?

    /// Resolves a reference (RFC 3986 5.2.2).
    ///
    /// - Parameter base: the URI of the document that has the reference. A relative path will do.
    package init(_ text: String, from base: String) {
        let uri = SchemaURI(base).resolving(text)
        document = uri.resource
        fragment = try? PercentEncoding.decodeString((uri.fragment ?? "").utf8)
    }

    /// The place in the document; nil if the fragment is an anchor or malformed.
    package var pointer: JSONPointer? { fragment.flatMap { try? JSONPointer($0) } }
}
