internal import FoundationEssentials
internal import HTTPModel
internal import JSONBytes

/// The tags API. An unknown or blocked card is a status in the envelope, with HTTP status 200.
enum TagsAPI: SampleAPI {
    static let routes = [
        SampleRoute(.get, "/tags") { _ in
            .query(.tags) { (data) throws(SampleDataError) in
                let tags = try data.tags.all()
                return GenericResponse.success { composer in
                    composer.beginArray()
                    for tag in tags {
                        composer.beginObject()
                        append(tag, to: &composer)
                        composer.endObject()
                    }
                    composer.endArray()
                }
            }
        },
        SampleRoute(.get, "/tags/received/{cardUUID}") { (input) throws(Refusal) in
            guard let card = UUID(uuidString: input.values[0]) else {
                throw Refusal("the card must be a UUID")
            }
            let uuid = card.uuidString.lowercased()
            return .query(.received) { (data) throws(SampleDataError) in
                switch try data.tags.card(uuid) {
                case .unknown:
                    return GenericResponse.failureInEnvelope(
                        .notFound, "there is no such card", code: "CARD_NOT_FOUND")
                case .blocked:
                    return GenericResponse.failureInEnvelope(
                        .forbidden, "the owner has blocked this card", code: "CARD_BLOCKED")
                case .open(let tags): return answer(tags)
                }
            }
        },
    ]

    private static func answer(_ tags: [TagStore.ReceivedTag]) -> HTTPResponse {
        GenericResponse.success { composer in
            composer.beginArray()
            for received in tags {
                composer.beginObject()
                composer.key("receivedTagId")
                composer.int(received.id)
                append(received.tag, to: &composer)
                composer.key("sender")
                composer.string(received.sender)
                composer.key("senderEn")
                composer.string(received.englishSender)
                composer.key("receivedAt")
                composer.string(received.receivedAt)
                composer.endObject()
            }
            composer.endArray()
        }
    }

    /// Appends `"tagId":1,"name":"성실한 개미","nameEn":"Diligent ant","icon":"🐜"`.
    private static func append(_ tag: TagStore.Tag, to composer: inout JSONComposer) {
        composer.key("tagId")
        composer.int(tag.id)
        composer.key("name")
        composer.string(tag.name)
        composer.key("nameEn")
        composer.string(tag.englishName)
        composer.key("icon")
        composer.string(tag.icon)
    }
}
