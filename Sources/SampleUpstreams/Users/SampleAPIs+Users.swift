internal import Sluice

/// The API of user profiles and their pictures.
extension SampleAPIs {
    func declareUsers(on gateway: Gateway) {
        gateway.group("/users/{name}", .envelope(.custom(ProfileFormat()))) { user in
            user.get("") { request in
                let name = try userName(in: request)
                return answer(to: request, as: .users) { data in
                    .json(["user": try profile(name, data).json])
                }
            }

            user.get("/picture") { request in
                let name = try userName(in: request)
                return answer(to: request, as: .picture) { data in
                    let picture = UserPicture(of: try profile(name, data))
                    return .raw(Array(picture.text.utf8), contentType: "image/svg+xml")
                        .field(.cacheControl, "max-age=3600").entityTag(picture.tag, for: request)
                }
            }
        }
    }

    private func userName(in request: GatewayRequest) throws -> String {
        let name = try request.path("name", as: String.self)
        guard name.unicodeScalars.count <= 32 else {
            throw GatewayError(
                code: "INVALID_NAME", status: .badRequest, message: "A name can have at most 32 characters")
        }
        return name
    }

    private func profile(_ name: String, _ data: SampleData) throws -> UserDirectory.Profile {
        guard let profile = try data.users.profile(name) else {
            throw GatewayError(
                code: "USER_NOT_FOUND", status: .notFound, message: "No user is called \(name)")
        }
        return profile
    }
}

extension UserDirectory.Profile {
    fileprivate var json: JSONLiteral {
        [
            "id": .init(id), "name": .init(name), "nameKo": .init(koreanName), "nameEn": .init(englishName),
            "level": .init(level), "tier": .init(tier), "joinedOn": .init(joinedOn),
            "introduction": .init(introduction),
        ]
    }
}
