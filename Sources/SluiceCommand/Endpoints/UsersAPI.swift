import GatewayCore
import HTTPModel
import JSONBytes
import Networking

/// The API of user profiles, which has no envelope.
enum UsersAPI {
    case user(UserName)

    /// The profile's location in a response.
    static let profile: JSONPointer = "/user"
}

/// A user's name, which is one segment of a path.
struct UserName: RequestValue, CustomStringConvertible {
    let description: String

    static let rule = "a name of 1 to 32 characters, without slashes and control characters"

    init?(requestText: String) {
        guard 1...32 ~= requestText.unicodeScalars.count,
            (try? PercentEncoding.checkSegment(Array(requestText.utf8))) != nil
        else { return nil }
        description = requestText
    }

    private init(_ text: String) { description = text }

    static let green = UserName("GREEN")
}

extension UsersAPI: TargetType {
    /// The address of `sluice upstream --port 8081`; `--upstream users=URL` replaces it.
    var baseURL: String { "http://127.0.0.1:8081/users" }

    var path: RequestPath {
        switch self {
        case .user(let name): "/\(name)"
        }
    }
}
