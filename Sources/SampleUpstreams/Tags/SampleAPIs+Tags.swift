internal import FoundationEssentials
internal import Sluice

/// The API of tags that people give to each other's cards.
extension SampleAPIs {
    func declareTags(on gateway: Gateway) {
        gateway.group("/tags", .envelope(.custom(TagsEnvelope()))) { tags in
            tags.get("") { request in
                answer(to: request, as: .tags) { data in .json(.init(try data.tags.all().map(\.json))) }
            }

            tags.get("/received/{cardUUID}") { request in
                let card = try request.path("cardUUID", as: UUID.self).uuidString.lowercased()
                return answer(to: request, as: .received) { data in
                    switch try data.tags.card(card) {
                    case .unknown: throw GatewayError(TagsEnvelope.noCard, "There is no such card")
                    case .blocked:
                        throw GatewayError(TagsEnvelope.blockedCard, "The owner has blocked this card")
                    case .open(let tags): return .json(.init(tags.map(\.json)))
                    }
                }
            }
        }
    }
}

extension TagStore.Tag {
    fileprivate var json: JSONLiteral {
        [
            "tagId": .init(id), "name": .init(name), "nameEn": .init(englishName), "icon": .init(icon),
        ]
    }
}

extension TagStore.ReceivedTag {
    fileprivate var json: JSONLiteral {
        [
            "receivedTagId": .init(id), "tagId": .init(tag.id), "name": .init(tag.name),
            "nameEn": .init(tag.englishName), "icon": .init(tag.icon), "sender": .init(sender),
            "senderEn": .init(englishSender), "receivedAt": .init(receivedAt),
        ]
    }
}
