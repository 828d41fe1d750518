public import HTTPModel
public import JSONBytes

/// A whole response of the gateway under test.
public struct TestResponse: Sendable, CustomStringConvertible {
    /// The status. A failing `#expect(response.status == .ok)` shows the body as well.
    public var status: TestStatus { TestStatus(code, body) }
    /// The header fields in their original order.
    public let fields: HTTPFields
    /// The whole body; empty for HEAD. Its indices need not start at 0.
    public let body: ArraySlice<UInt8>
    /// The time from the request to the last byte of the response: real on sockets, exact in virtual time.
    public let elapsed: Duration
    private let code: HTTPStatus

    init(status: HTTPStatus, fields: HTTPFields, body: ArraySlice<UInt8>, elapsed: Duration) {
        code = status
        self.fields = fields
        self.body = body
        self.elapsed = elapsed
    }

    /// The body as UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; throws if it is not JSON.
    public var json: JSONFragment {
        get throws { try JSONFragment(validating: body) }
    }

    /// Status, reason phrase, body and time.
    public var description: String { "\(status) after \(elapsed)" }
}

/// The status of a response, which is printed with the body, so that a failing expectation shows the whole
/// answer.
///
///     #expect(response.status == .ok)     // 502 Bad Gateway: {"status":502,"code":"UPSTREAM_FAILURE",...}
///
/// It has all members of `HTTPStatus`.
@dynamicMemberLookup
public struct TestStatus: Sendable, CustomStringConvertible {
    /// The plain status.
    public let value: HTTPStatus
    private let body: ArraySlice<UInt8>

    init(_ value: HTTPStatus, _ body: ArraySlice<UInt8>) {
        self.value = value
        self.body = body
    }

    /// A member of the plain status: `status.code`.
    public subscript<Member>(dynamicMember path: KeyPath<HTTPStatus, Member>) -> Member {
        value[keyPath: path]
    }

    /// Status, reason phrase and up to 1000 characters of the body.
    public var description: String {
        guard !body.isEmpty else { return value.description }
        guard let text = String(validating: body, as: UTF8.self) else {
            return "\(value): \(body.count) bytes"
        }
        return "\(value): \(text.shortened(to: 1000))"
    }

    /// Compares the plain status.
    public static func == (left: TestStatus, right: HTTPStatus) -> Bool { left.value == right }
    /// Compares the plain status.
    public static func != (left: TestStatus, right: HTTPStatus) -> Bool { left.value != right }
}
