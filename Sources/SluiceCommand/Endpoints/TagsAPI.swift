import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking

/// The API of the tags that people give to each other's cards. What is wrong with a card is a status inside its envelope.
enum TagsAPI {
    case all
    /// The last first.
    case received(card: UUID)
}

extension TagsAPI: TargetType {
    /// Where `sluice upstream --port 8081` has it; `--upstream tags=URL` says another place.
    var baseURL: String { "http://127.0.0.1:8081" }

    var path: RequestPath {
        switch self {
        case .all: "/tags"
        case .received(let card): "/tags/received/\(card.uuidString.lowercased())"
        }
    }

    var envelope: ResponseEnvelope { .genericResponse }
}
