import GatewayCore
import HTTPModel

/// Pictures of users, such as `/images/GREEN/picture`, which pass through as the upstream sends them.
enum PictureEndpoints {
    static func declare(on gateway: Gateway, _ fields: ProxyFields) {
        // The address of `sluice upstream --port 8081`; `--upstream users=URL` replaces it.
        let users = gateway.proxyUpstream("users", baseURL: "http://127.0.0.1:8081/users")
        gateway.proxy("/images/{path...}", to: users, methods: [.get], fields: fields)
    }
}
