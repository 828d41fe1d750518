package import JSONBytes

/// The body of a request or response, as far as it was read.
package enum ContractBody: Sendable {
    case none
    /// A body that is known to be JSON.
    case json(JSONFragment)
    /// Other bytes, or bytes that nobody has read yet.
    case bytes(ArraySlice<UInt8>)
}
