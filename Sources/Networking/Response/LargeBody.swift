import JSONBytes

/// What belongs to a large body of a response.
package final class LargeBody: Sendable {
    /// Bodies of more bytes may take a millisecond or more to read.
    package static let smallest = 128 * 1024

    /// The charge of its memory, if no request holds that.
    let charge: (any AnyObject & Sendable)?
    /// What another thread has read in it; nil before.
    let reading: BodyReading?

    package init(charge: any AnyObject & Sendable) {
        self.charge = charge
        reading = nil
    }

    init(_ reading: BodyReading, after earlier: LargeBody?) {
        charge = earlier?.charge
        self.reading = reading
    }

    var withoutCharge: LargeBody? { reading.map { LargeBody($0, after: nil) } }
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
