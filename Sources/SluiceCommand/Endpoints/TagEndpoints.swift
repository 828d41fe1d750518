import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx

/// All tags, and the tags that a card received.
struct TagEndpoints {
    private let tags: Provider<TagsAPI>

    static func declare(on gateway: Gateway) {
        TagEndpoints(tags: gateway.provider(TagsAPI.self, upstream: "tags")).declare(on: gateway)
    }

    private func declare(on gateway: Gateway) {
        gateway.get("/api/tags") { _ in
            .parts(tags: tags.rx.request(.all).fragment(at: .root, as: .array))
        }

        gateway.get("/api/tags/received/{cardUUID}") { request in
            let card = try request.path("cardUUID", as: UUID.self)
            return .parts(received: tags.rx.request(.received(card: card)).fragment(at: .root, as: .array))
        }
    }
}
