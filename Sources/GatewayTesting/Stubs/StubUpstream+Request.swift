public import HTTPModel
public import JSONBytes
import Locking
import Synchronization

extension StubUpstream {
    /// A request that an upstream received.
    public struct Request: Sendable, CustomStringConvertible {
        /// The upstream's name.
        public let upstream: String
        /// The method on the wire: HEAD stays HEAD.
        public let method: HTTPMethod
        /// Percent-encoded, without the query.
        public let path: String
        /// Percent-encoded, without the question mark.
        public let query: String?
        /// The header fields that the gateway sends, on sockets also the connection's fields.
        public let fields: HTTPFields
        /// The body.
        public let bytes: ArraySlice<UInt8>
        /// The parameters of the stub's path, decoded: `["date": "2026-11-20"]` for `/weights/{date}`.
        public internal(set) var parameters: [String: String] = [:]
        /// Whether the gateway gave up before the answer was complete: it timed out, or its own client left.
        public internal(set) var isAbandoned = false
        var stub: ObjectIdentifier?
        /// The place among the requests of all upstreams.
        let order: Int

        private static let count = Atomic(0)

        init(
            upstream: String, method: HTTPMethod, path: String, query: String?, fields: HTTPFields,
            bytes: ArraySlice<UInt8>
        ) {
            self.upstream = upstream
            self.method = method
            self.path = path
            self.query = query
            self.fields = fields
            self.bytes = bytes
            order = Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        }

        /// The body as UTF-8.
        public var body: String { String(decoding: bytes, as: UTF8.self) }

        /// The body as JSON; throws if it is not JSON.
        public var json: JSONFragment {
            get throws { try JSONFragment(validating: bytes) }
        }

        /// Returns the first decoded value of the query with this name; nil without one, or if it cannot be
        /// decoded.
        public func query(_ name: String) -> String? {
            (try? QueryItems(query.map { Array($0.utf8)[...] }).first(name)) ?? nil
        }

        /// Method, path and query: `GET /weights/2026-11-20?half=am`.
        public var description: String { "\(method) \(path)" + (query.map { "?\($0)" } ?? "") }
    }
}

/// The requests of an upstream.
final class StubRecord: Sendable {
    private let requests = Lock<[StubUpstream.Request]>([])

    var all: [StubUpstream.Request] { requests.withLock { $0 } }

    /// Returns the request's index.
    func append(_ request: StubUpstream.Request) -> Int {
        requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
    }

    func abandoned(_ index: Int) {
        requests.withLock { $0[index].isAbandoned = true }
    }
}
