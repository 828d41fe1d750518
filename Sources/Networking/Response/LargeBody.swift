@_spi(Reading) import JSONBytes

package enum LargeBody {
    /// Bodies of more bytes may take a millisecond or more to read.
    package static let smallest = 128 * 1024
}

/// What few responses have. Kept beside the response: one more reference in it would make the compiler copy
/// responses where they are passed on.
package final class RareParts: Sendable {
    /// Whether the rest of the request was not sent.
    let requestWasCut: Bool
    /// The charge of a large body's memory, if no request holds that.
    let charge: (any AnyObject & Sendable)?
    /// What another thread has read in a large body; nil before.
    let reading: BodyReading?
    /// Number of bytes of a body that was delivered in pieces or to a file; 0 for a body in memory.
    let streamedByteCount: Int

    /// Nil without any.
    package init?(
        requestWasCut: Bool = false, charge: (any AnyObject & Sendable)? = nil
    ) {
        guard requestWasCut || charge != nil else { return nil }
        self.requestWasCut = requestWasCut
        self.charge = charge
        reading = nil
        streamedByteCount = 0
    }

    private init(
        requestWasCut: Bool, charge: (any AnyObject & Sendable)?, reading: BodyReading?,
        streamedByteCount: Int
    ) {
        self.requestWasCut = requestWasCut
        self.charge = charge
        self.reading = reading
        self.streamedByteCount = streamedByteCount
    }

    /// Returns the parts with what was read in the body.
    static func adding(_ reading: BodyReading, to parts: RareParts?) -> RareParts {
        RareParts(
            requestWasCut: parts?.requestWasCut ?? false, charge: parts?.charge, reading: reading,
            streamedByteCount: parts?.streamedByteCount ?? 0)
    }

    /// Returns the parts with the length of a body that was not delivered in memory.
    static func adding(streamedByteCount count: Int, to parts: RareParts?) -> RareParts {
        RareParts(
            requestWasCut: parts?.requestWasCut ?? false, charge: parts?.charge, reading: parts?.reading,
            streamedByteCount: count)
    }

    var withoutCharge: RareParts? {
        guard reading != nil || streamedByteCount > 0 else { return RareParts(requestWasCut: requestWasCut) }
        return RareParts(
            requestWasCut: requestWasCut, charge: nil, reading: reading, streamedByteCount: streamedByteCount)
    }
}

/// Receives what few responses have.
package protocol RarePartsReceiver: AttemptReceiver {
    /// Reports it, before `attemptSucceeded`.
    func attemptHas(_ parts: RareParts)
}

/// What is read in a body, so that the loop need not read it again.
struct BodyReading: Sendable {
    enum Content: Sendable {
        case plain(JSONFragment)
        case enveloped(OpenedEnvelope)
    }

    /// What the body is by the envelope of the call.
    let content: Result<Content, BodyFault>
    let pointer: JSONPointer
    /// The value at the pointer in the data of a success.
    private let found: JSONFragment?

    /// Reads the body once, and looks the pointer up.
    init(_ body: ArraySlice<UInt8>, of call: TransportCall, at pointer: JSONPointer) {
        let limits = call.settings.policy.json
        self.pointer = pointer
        do throws(BodyFault) {
            let content: Content
            if let opened = try call.envelope.open(body, limits) {
                content = .enveloped(opened)
            } else {
                do throws(JSONError) {
                    content = .plain(try JSONScanner.validate(body, limits: limits))
                } catch {
                    throw .notJSON(error)
                }
            }
            self.content = .success(content)
            found = content.data?.value(at: pointer)
        } catch {
            content = .failure(error)
            found = nil
        }
    }

    /// The data of a success; nil for a failure, and without data.
    var data: JSONFragment? { (try? content.get())?.data }

    /// Returns what the pointer leads to in the data of a success; nil if it was not looked up.
    func value(at pointer: JSONPointer) -> JSONFragment?? {
        pointer == self.pointer && data != nil ? .some(found) : nil
    }

    var envelope: OpenedEnvelope? {
        if case .success(.enveloped(let opened)) = content { opened } else { nil }
    }
}

extension BodyReading.Content {
    fileprivate var data: JSONFragment? {
        switch self {
        case .plain(let value): value
        case .enveloped(let opened): opened.isSuccess ? opened.data : nil
        }
    }
}
