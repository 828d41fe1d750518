import EndpointPlans
import HTTPModel

/// Where the gateway listens.
enum ListenShape {
    static let host = Member("host", .text, default: "127.0.0.1", "A numeric address, or localhost.")
    static let port = Member("port", .integer(0...65535), default: "8080", "The port; 0 for any free one.")
    static let loops = Member(
        "loops", .integer(1...256), "Event loops, one thread each. By default the usable cores.")
    static let shape: Shape = Shape("listen", definition: "listen", host, port, loops)
}

extension ValueType where Value == ConfigListen {
    static let listen = ValueType.object(ListenShape.shape, prefixes: true) { values in
        ConfigListen(
            host: values.located(ListenShape.host), port: values.located(ListenShape.port),
            loops: values.located(ListenShape.loops))
    }
}

enum LogShape {
    static let level = Member(
        "level", ValueType<ConfigLogLevel>.word, default: "info", "The least severe level that is written.")
    static let access = Member(
        "access", .flag, default: "on", "Whether each request is logged on standard output.")
    static let shape: Shape = Shape("log", definition: "log", level, access)
}

extension ValueType where Value == ConfigLog {
    static let log = ValueType.object(LogShape.shape, prefixes: true) {
        ConfigLog(level: $0.located(LogShape.level), access: $0.located(LogShape.access))
    }
}

enum DrainShape {
    static let delay = Member(
        "delay", .time("0s", "29s"), default: "1s",
        "From SIGTERM to closing the listener; /health/ready answers 503 meanwhile.")
    static let deadline = Member(
        "deadline", .time("1s", "1h"), default: "30s",
        "From SIGTERM to the reset of the remaining connections.")
    static let shape: Shape = Shape("drain", definition: "drain", delay, deadline)
}

extension ValueType where Value == ConfigDrain {
    static let drain = ValueType.object(DrainShape.shape, prefixes: true) { values in
        values.requireOrder(DrainShape.delay, DrainShape.deadline)
        return ConfigDrain(
            delay: values.located(DrainShape.delay), deadline: values.located(DrainShape.deadline))
    }
}

/// The scripts of other origins that may call the gateway.
enum CORSShape {
    static let origins = Member("origins", .oneOrMore, "Origins such as https://app.example, or any.")
    static let methods = Member(
        "methods", .list(of: ValueType<String>.methodName.located, 1...20),
        "The methods that scripts may use. By default those of the path.")
    static let headers = Member(
        "headers", .list(of: ValueType<String>.fieldText.located, 0...100),
        "The request fields that scripts may set. By default Content-Type.")
    static let exposedHeaders = Member(
        "exposedHeaders", .list(of: ValueType<String>.fieldText.located, 0...100),
        "The response fields that scripts may read. By default X-Request-Id.")
    static let maxAge = Member(
        "maxAge", .time("0s", "24h"), default: "10m", "How long a browser may cache a preflight.")
    static let credentials = Member(
        "credentials", .bool, default: "false", "Whether scripts may send cookies. Needs a list of origins.")
    static let shape: Shape = Shape(
        "cors", definition: "cors", required: ["origins"],
        meant: [
            "allow_origins": origins.name, "allowOrigins": origins.name, "allow_methods": methods.name,
            "allowMethods": methods.name, "allow_headers": headers.name, "allowHeaders": headers.name,
            "expose_headers": exposedHeaders.name, "exposeHeaders": exposedHeaders.name,
            "max_age": maxAge.name, "allow_credentials": credentials.name,
            "allowCredentials": credentials.name,
        ], origins, methods, headers, exposedHeaders, maxAge,
        credentials)
}

extension ValueType where Value == ConfigCORS {
    static let cors = ValueType.object(CORSShape.shape, prefixes: true) { values in
        guard let origins = values.read(CORSShape.origins) else { return nil }
        let isAny = origins.count == 1 && origins[0].value == "any"
        let credentials = values.located(CORSShape.credentials)
        if isAny, let credentials, credentials.value {
            values.reader.error("cors.credentials needs a list of origins", at: credentials.place)
        }
        return ConfigCORS(
            origins: isAny ? .any : .list(origins), methods: values.read(CORSShape.methods),
            headers: values.read(CORSShape.headers), exposedHeaders: values.read(CORSShape.exposedHeaders),
            maxAge: values.located(CORSShape.maxAge), allowsCredentials: credentials)
    }
}

extension ValueType where Value == String {
    static let methodName = text("a method such as GET") {
        HTTPMethod(rawValue: $0) != nil && $0 == $0.uppercased()
    }
    static let fieldText = text("the name of a header field") { HTTPFieldName($0) != nil }
}

/// Bounds of the gateway.
enum LimitsShape {
    static let deadline = Member(
        "deadline", .time("1ms", "1h"), default: "15s",
        "The time for an answer, from the end of the request's body.")
    static let requestBody = Member(
        "requestBody", .size("1B", "1GiB"), default: "1MiB", "The largest body of a request.")
    static let answer = Member(
        "answer", .size("1KiB", "1GiB"), default: "16MiB", "The largest merged answer.")
    static let requestsInFlight = Member(
        "requestsInFlight", .integer(1...1_000_000), default: "2048",
        "Requests in flight for each event loop.")
    static let upstreamBodies = Member(
        "upstreamBodies", .size("1MiB", "1024GiB"),
        "Bodies of responses and calls, and composed values, that the process holds.")
    static let connections = Member(
        "connections", .integer(1...10_000_000), "Connections of clients to the process.")
    static let sendRate = Member(
        "sendRate", .rate("1B/s", "1GiB/s"), default: "500B/s",
        "What a client must acknowledge on average, after 30 s in which output waits for it.")
    static let keepAlive = Member(
        "keepAlive", .time("1s", "1h"), default: "60s", "How long a connection of a client may be idle.")
    static let shape: Shape = Shape(
        "limits", definition: "limits", deadline, requestBody, answer, requestsInFlight, upstreamBodies,
        connections,
        sendRate, keepAlive)
}

extension ValueType where Value == ConfigLimits {
    static let limits = ValueType.object(LimitsShape.shape, prefixes: true) { values in
        ConfigLimits(
            deadline: values.located(LimitsShape.deadline),
            requestBody: values.located(LimitsShape.requestBody),
            answer: values.located(LimitsShape.answer),
            requestsInFlight: values.located(LimitsShape.requestsInFlight),
            upstreamBodies: values.located(LimitsShape.upstreamBodies),
            connections: values.located(LimitsShape.connections),
            sendRate: values.located(LimitsShape.sendRate),
            keepAlive: values.located(LimitsShape.keepAlive))
    }
}
