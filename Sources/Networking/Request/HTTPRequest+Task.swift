public import HTTPModel

/// Addresses and bodies made of values: what a target says by its path and its task.
extension HTTPRequest {
    /// A base URL and a path whose interpolated values stay in one segment each, percent-encoded.
    ///
    ///     HTTPRequest(baseURL: "http://users.test/v1", path: "/users/\(name)")
    ///
    /// A value that could leave its segment fails the call, and so does a base URL with a fragment.
    public init(baseURL: String, path: RequestPath, method: HTTPMethod = .get) {
        var base = baseURL[...]
        while base.last == "/" { base.removeLast() }
        let separator = path.text.isEmpty || path.text.hasPrefix("/") ? "" : "/"
        self.init(url: base + separator + path.text, method: method)
        if let fault = path.fault { fail(RequestFault(.url, fault)) }
        if baseURL.utf8.contains(UInt8(ascii: "#")) { fail(RequestFault(.url, "a base URL has no fragment")) }
    }

    /// Parameters in the query, after those that the URL has already.
    ///
    /// - Parameters:
    ///   - parameters: for the query.
    ///   - encoding: one that writes a query; another one fails the call.
    public consuming func addQuery(
        _ parameters: Parameters, encoding: ParameterEncoding = .query
    ) -> HTTPRequest {
        setTask(.plain.adding(query: parameters, encoding: encoding))
    }

    /// Parameters in the query or in the body, as `encoding` says; where that asks for the method, it has to be set before.
    public consuming func setParameters(
        _ parameters: Parameters, encoding: ParameterEncoding
    ) -> HTTPRequest {
        setTask(.parameters(parameters, encoding: encoding))
    }

    /// Query and body as a target's task has them: JSON, forms, multipart, a file. A query that the URL has is kept, and so is the
    /// body where the task has none. A content type goes along where the request has none.
    public consuming func setTask(_ task: RequestTask) -> HTTPRequest {
        do throws(RequestFault) {
            let content = try RequestContent(task, method: method)
            if !content.query.isEmpty {
                if let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) {
                    url.removeSubrange(fragment...)
                }
                if let mark = url.queryMark { url.unicodeScalars.append(Unicode.Scalar(mark)) }
                url += String(decoding: content.query, as: UTF8.self)
            }
            if !content.body.isNone { body = content.body }
            if let type = content.contentType, !headers.contains(.contentType) {
                headers.append(.contentType, type)
            }
        } catch {
            fail(error)
        }
        return self
    }
}

extension String {
    /// What goes between a URL or path, with the query that it may have, and a further parameter.
    var queryMark: UInt8? {
        guard utf8.contains(UInt8(ascii: "?")) else { return UInt8(ascii: "?") }
        let last = utf8.last
        return last == UInt8(ascii: "?") || last == UInt8(ascii: "&") ? nil : UInt8(ascii: "&")
    }
}
