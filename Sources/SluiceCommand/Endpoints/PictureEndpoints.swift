/// Pictures of users, such as `/images/GREEN/picture`, which pass through as the upstream sends them.
enum PictureEndpoints {
    static func declare(on gateway: AppGateway) {
        // The address of `sluice upstream --port 8081`; `--upstream users=URL` replaces it.
        gateway.proxy("/images/{path...}", to: "users", baseURL: "http://127.0.0.1:8081/users")
    }
}
