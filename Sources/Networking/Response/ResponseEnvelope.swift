@_spi(Reading) public import JSONBytes

/// The envelope in which an upstream wraps its responses.
public struct ResponseEnvelope: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case none
        case generic
        case declared(Declared)
    }

    struct Declared: Sendable, Hashable {
        let status: JSONPointer
        let data: JSONPointer
        let message: JSONPointer?
        let success: Set<String>
    }

    let form: Form

    /// The body is the data, without an envelope.
    public static let none = ResponseEnvelope(form: .none)

    /// `{"code":String?,"message":String?,"status":Int,"data":T?}` (`GenericResponse`). `responseMsg` is read
    /// as `message`. The inner status counts as the call's status.
    public static let genericResponse = ResponseEnvelope(form: .generic)

    /// A custom envelope.
    ///
    ///     // {"response":{"header":{"resultCode":"00","resultMsg":"OK"},"body":{...}}}
    ///     .declared(status: "/response/header/resultCode", data: "/response/body",
    ///               message: "/response/header/resultMsg", success: ["00"])
    ///
    /// - Parameters:
    ///   - status: location of the result code, a string, number or Boolean.
    ///   - data: location of the data, which may be missing if the code is a failure.
    ///   - message: location of the upstream's message.
    ///   - success: the result codes of a success, as text: `"00"`, `"200"`, `"true"`.
    public static func declared(
        status: JSONPointer, data: JSONPointer, message: JSONPointer? = nil, success: Set<String>
    ) -> ResponseEnvelope {
        ResponseEnvelope(
            form: .declared(Declared(status: status, data: data, message: message, success: success)))
    }

    /// Whether it has a place for the upstream's message.
    package var hasMessages: Bool {
        switch form {
        case .none: false
        case .generic: true
        case .declared(let declared): declared.message != nil
        }
    }
}

/// The content of an envelope as bytes.
struct OpenedEnvelope {
    /// The inner status, if it is 100 to 599: a number or, in a declared envelope, its text.
    let status: Int?
    let isSuccess: Bool
    let code: String?
    let message: String?
    /// Nil if missing or `null`.
    let data: JSONFragment?
}

enum BodyFault: Error {
    case notJSON(JSONError)
    case shape(String)
}

extension ResponseEnvelope {
    private static let genericNames = JSONMemberNames("status", "data", "message", "responseMsg", "code")

    /// Reads an envelope in one pass over the body. Returns nil if the upstream uses no envelope.
    func open(_ body: ArraySlice<UInt8>, _ limits: JSONLimits) throws(BodyFault) -> OpenedEnvelope? {
        switch form {
        case .none: nil
        case .generic: try Self.openGeneric(body, limits)
        case .declared(let declared): try Self.open(body, declared, limits)
        }
    }

    /// Returns the data of a body that reports success, else nil.
    func plainData(_ body: ArraySlice<UInt8>, _ limits: JSONLimits) -> JSONFragment? {
        switch form {
        case .none:
            return try? JSONScanner.validate(body, limits: limits)
        case .generic:
            let members: JSONMembers
            do {
                members = try JSONScanner.scan(body, capturing: Self.genericNames, limits: limits)
            } catch {
                return nil
            }
            guard let status = members.integer(at: 0), (200..<300).contains(status) else { return nil }
            return (consume members).value(at: 1)?.presentValue
        case .declared(let declared):
            guard let opened = try? Self.open(body, declared, limits), opened.isSuccess else { return nil }
            return opened.data
        }
    }

    static func openGeneric(
        _ body: ArraySlice<UInt8>, _ limits: JSONLimits
    ) throws(BodyFault) -> OpenedEnvelope {
        let members: JSONMembers
        do {
            members = try JSONScanner.scan(body, capturing: genericNames, limits: limits)
        } catch {
            throw .notJSON(error)
        }
        guard let status = members.integer(at: 0) else {
            throw .shape("the body is not a GenericResponse: its status is missing or not an integer")
        }
        let isSuccess = (200..<300).contains(status)
        return OpenedEnvelope(
            status: status, isSuccess: isSuccess, code: isSuccess ? nil : members[4]?.stringValue,
            message: isSuccess ? nil : (members[2]?.presentValue ?? members[3])?.stringValue,
            data: members[1]?.presentValue)
    }

    static func open(
        _ body: ArraySlice<UInt8>, _ envelope: Declared, _ limits: JSONLimits
    ) throws(BodyFault) -> OpenedEnvelope {
        let document: JSONFragment
        do {
            document = try JSONScanner.validate(body, limits: limits)
        } catch {
            throw .notJSON(error)
        }
        guard let status = document.value(at: envelope.status), let code = status.scalarText else {
            throw .shape("the body is not in the declared envelope: no result code at \(envelope.status)")
        }
        // Codes are compared as text, so the text "503" decides as 503 does, and "0503" is another code.
        let number = status.intValue ?? (code.utf8.count == 3 ? Int(code) : nil)
        return OpenedEnvelope(
            status: number.flatMap { (100...599).contains($0) ? $0 : nil },
            isSuccess: envelope.success.contains(code), code: code,
            message: envelope.message.flatMap { document.value(at: $0)?.stringValue },
            data: document.value(at: envelope.data)?.presentValue)
    }
}

extension JSONFragment {
    fileprivate var presentValue: JSONFragment? { isNull ? nil : self }

    /// A string, number or Boolean as text, else nil.
    fileprivate var scalarText: String? {
        switch kind {
        case .string: stringValue
        case .number, .bool: description
        case .null, .array, .object: nil
        }
    }
}
