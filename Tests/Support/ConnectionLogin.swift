import Locking

/// An upstream that logs in connections, as servers do with NTLM and Negotiate: once a user has logged in, it
/// answers every request on that connection as the user's.
///
/// The users are alice and bob. `Negotiate alice` logs in at once; `NTLM alice` logs in after `NTLM hello`.
package enum ConnectionLogin {
    /// Scripts for this many connections, each with a login of its own.
    package static func scripts(_ connections: Int) -> [[ScriptedUpstream.Step]] {
        (0..<connections).map { _ in [.answer(Connection().answer)] }
    }

    private final class Connection: Sendable {
        private struct State {
            var user: String?
            var hasGreeted = false
        }

        private let state = Lock(State())

        func answer(_ request: String) -> String {
            state.withLock { state in
                let lines = request.lowercased().split(separator: "\r\n")
                switch lines.first(where: { $0.hasPrefix("authorization: ") })?.dropFirst(15) {
                case "ntlm hello":
                    state.hasGreeted = true
                    return Self.refusal("WWW-Authenticate: NTLM challenge\r\n")
                case "ntlm alice" where state.hasGreeted, "negotiate alice": state.user = "alice"
                case "negotiate bob": state.user = "bob"
                default: break
                }
                guard let user = state.user else {
                    return Self.refusal("WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n")
                }
                let body = #"{"account":"\#(user)"}"#
                return
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
            }
        }

        private static func refusal(_ challenges: String) -> String {
            "HTTP/1.1 401 Unauthorized\r\n\(challenges)Content-Length: 0\r\n\r\n"
        }
    }
}
