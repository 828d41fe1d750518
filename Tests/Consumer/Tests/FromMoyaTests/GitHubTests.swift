import Foundation
import NetworkingCompatibility
import RxBlocking
import Testing

/// A target as written for Moya. `NetworkingCompatibility` is its only import of the client.
private enum GitHub: TargetType {
    case userProfile(String)
    case createIssue(title: String, labels: [String])

    var baseURL: String { "http://github.test" }

    var path: RequestPath {
        switch self {
        case .userProfile(let name): "/users/\(name)"
        case .createIssue: "/issues"
        }
    }

    var method: Moya.Method {
        switch self {
        case .userProfile: .get
        case .createIssue: .post
        }
    }

    var task: Moya.Task {
        switch self {
        case .userProfile: .requestPlain
        case .createIssue(let title, let labels):
            .requestParameters(
                parameters: ["title": title, "labels": labels], encoding: JSONEncoding.default)
        }
    }

    var validation: ValidationType { .successCodes }

    var sampleResponse: SampleResponse {
        switch self {
        case .userProfile: .networkResponse(200, "{\"login\": \"green\"}".utf8)
        case .createIssue: .networkResponse(422, "{}".utf8)
        }
    }
}

private struct User: Decodable {
    var login: String
}

@Suite("A target written for Moya")
struct GitHubTests {
    private let provider = MoyaProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)

    @Test("A failed status is Moya's statusCode error with the response")
    func failure() {
        do {
            _ = try provider.rx.request(.createIssue(title: "Reflow", labels: ["layout"])).toBlocking()
                .single()
            Issue.record("the call succeeded")
        } catch {
            guard case .statusCode(let response) = (error as? NetworkError)?.moyaError else {
                Issue.record("\(error)")
                return
            }
            #expect(response.statusCode == 422)
        }
    }

    @Test("A sample response is decoded into a model")
    func success() throws {
        let user = try provider.rx.request(.userProfile("green")).map(User.self).toBlocking().single()
        #expect(user.login == "green")
    }

    @Test("The body of a response is Foundation's Data")
    func data() throws {
        let response = try provider.rx.request(.userProfile("green")).toBlocking().single()
        let user = try JSONDecoder().decode(User.self, from: response.data)
        #expect(user.login == "green")
    }

    @Test("A provider of several APIs takes any target")
    func multiTarget() throws {
        let provider = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)
        let user = try provider.rx.request(MultiTarget(GitHub.userProfile("green"))).map(User.self)
            .toBlocking().single()
        #expect(user.login == "green")
    }
}
