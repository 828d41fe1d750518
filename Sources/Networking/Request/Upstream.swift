public import HTTPModel
import Synchronization

/// One upstream API: its name and address, parsed once, and a number by which a transport finds what it keeps
/// for it without comparing strings.
public final class Upstream: Sendable {
    /// Small, unique in the process, never used again: fit for an array's index.
    public let id: Int
    /// For logs, metrics and messages, e.g. `diary`.
    public let name: String
    /// Scheme, host and port are where calls go; the path is in front of each call's own.
    public let baseURL: HTTPURL

    /// The path of the base URL without its last slash: empty, or `/prefix`.
    let prefix: [UInt8]

    /// Why a text cannot be an upstream's address.
    public struct InvalidBaseURL: Error, Sendable, Hashable, CustomStringConvertible {
        public let upstream: String
        public let description: String
    }

    public init(name: String, baseURL text: String) throws(InvalidBaseURL) {
        let url: HTTPURL
        do {
            url = try HTTPURL(text)
        } catch {
            throw InvalidBaseURL(upstream: name, description: "the address of upstream \(name): \(error)")
        }
        guard url.query == nil else {
            throw InvalidBaseURL(
                upstream: name, description: "the address of upstream \(name): a base URL has no query")
        }
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        let prefix = Array(path)
        if let fault = prefix.withUnsafeBytes({ TargetRules.fault(in: $0, prefix: 0) }), !prefix.isEmpty {
            throw InvalidBaseURL(upstream: name, description: "the address of upstream \(name): \(fault)")
        }
        id = Upstream.count.wrappingAdd(1, ordering: .relaxed).oldValue
        self.name = name
        baseURL = url
        self.prefix = prefix
    }

    private static let count = Atomic(0)
}

extension Upstream: CustomStringConvertible {
    public var description: String { name }
}
