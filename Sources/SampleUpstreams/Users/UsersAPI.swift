internal import HTTPModel
internal import JSONBytes

/// The users API. It has no envelope: a profile is `{"user":{...}}`, a failure `{"code":"USER_NOT_FOUND","message":...}`, and a picture
/// is SVG.
enum UsersAPI: SampleAPI {
    private static let maximumNameLength = 32

    static let routes = [
        SampleRoute(.get, "/users/{name}") { (input) throws(Refusal) in
            try query(.users, input, answer)
        },
        SampleRoute(.get, "/users/{name}/picture") { (input) throws(Refusal) in
            try query(.picture, input) { UserPicture(of: $0).answer(to: input.fields) }
        },
    ]

    /// Returns the query for what `answer` makes of the profile that the path names.
    private static func query(
        _ route: FaultSwitch, _ input: SampleInput,
        _ answer: @escaping @Sendable (UserDirectory.Profile) -> HTTPResponse
    ) throws(Refusal) -> SampleCall {
        let name = input.values[0]
        guard name.unicodeScalars.count <= maximumNameLength else {
            throw Refusal("a name can have at most \(maximumNameLength) characters")
        }
        return .query(route) { (data) throws(SampleDataError) in
            guard let profile = try data.users.profile(name) else {
                return failure(.notFound, "USER_NOT_FOUND", "no user is called \(name)")
            }
            return answer(profile)
        }
    }

    static func answer(to refusal: Refusal) -> HTTPResponse {
        failure(refusal.status, "INVALID_NAME", refusal.message)
    }

    private static func failure(_ status: HTTPStatus, _ code: String, _ message: String) -> HTTPResponse {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("code")
        composer.string(code)
        composer.key("message")
        composer.string(message)
        composer.endObject()
        return HTTPResponse(status: status, fields: GenericResponse.fields, body: composer.finish())
    }

    private static func answer(_ profile: UserDirectory.Profile) -> HTTPResponse {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("user")
        composer.beginObject()
        composer.key("id")
        composer.int(profile.id)
        composer.key("name")
        composer.string(profile.name)
        composer.key("nameKo")
        composer.string(profile.koreanName)
        composer.key("nameEn")
        composer.string(profile.englishName)
        composer.key("level")
        composer.int(profile.level)
        composer.key("tier")
        composer.string(profile.tier)
        composer.key("joinedOn")
        composer.string(profile.joinedOn)
        composer.key("introduction")
        composer.string(profile.introduction)
        composer.endObject()
        composer.endObject()
        return HTTPResponse(status: .ok, fields: GenericResponse.fields, body: composer.finish())
    }
}
