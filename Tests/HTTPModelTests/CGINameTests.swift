import HTTPModel
import Testing

@Suite("Names that CGI programs read as one")
struct CGINameTests {
    @Test(
        "Case does not matter, and - and _ are equal",
        arguments: [
            ("X-User-Id", "x_user_id", true), ("X-User-Id", "X-USER-ID", true),
            ("X_User-Id", "X-User_Id", true),
            ("X-User-Id", "X-User-I", false), ("X-User-Id", "XUser-Id", false),
            ("X-User-Id", "X.User.Id", false),
        ])
    func equality(_ one: String, _ other: String, _ areEqual: Bool) throws {
        let (one, other) = (try #require(HTTPFieldName(one)), try #require(HTTPFieldName(other)))
        #expect((CGIName(one) == CGIName(other)) == areEqual)
    }

    @Test("All fields that become one of the variables are removed, and the others stay")
    func removal() {
        var fields: HTTPFields = ["X-User-Id": "1", "x_user_id": "2", "X-Other": "3"]
        fields.remove([CGIName("X_USER_ID"), CGIName("X-Missing")])
        #expect(fields.map(\.name) == ["X-Other"])
        fields.remove([])
        #expect(fields.count == 1)
    }
}
