import HTTPModel

/// How responses that are passed on travel.
package enum PassedResponse {
    /// Bytes up to which a response is handed on as a whole: with its head if it arrives at once, else of a
    /// body whose length is known and that is complete within `headWait`. Streaming costs more than copying
    /// so few bytes, and a whole response cannot break off.
    package static var whole: Int { 8 << 10 }

    /// The longest time for which the head of a response waits for its body. A response that breaks off
    /// within this time can still be repeated, or answered with an error. Short, because clients of event
    /// streams and long polls may wait for the head.
    package static var headWait: Duration { .milliseconds(100) }

    /// Bytes up to which the body of a response is kept, so that another attempt or an interceptor may still
    /// replace it.
    package static var replaceable: Int { 256 << 10 }

    /// Whether a response whose head has arrived waits for its whole body.
    package static func isWhole(_ head: TransportResponse) -> Bool {
        guard let length = head.fields[.contentLength].flatMap({ Int($0) }) else { return false }
        return length <= whole
    }
}
