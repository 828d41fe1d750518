import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking

/// The API of tags that people give to each other's cards. It reports errors with a status inside the
/// envelope.
enum TagsAPI {
    case all
    /// The tags of a card, latest first.
    case received(card: UUID)
}

extension TagsAPI: TargetType {
    /// The address of `sluice upstream --port 8081`; `--upstream tags=URL` replaces it.
    var baseURL: String { "http://127.0.0.1:8081" }

    var path: RequestPath {
        switch self {
        case .all: "/tags"
        case .received(let card): "/tags/received/\(card.uuidString.lowercased())"
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}
