import FoundationEssentials
import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import Testing

@Suite("Request task")
struct RequestTaskTests {
    private struct Weight: Encodable {
        var weight = 71.5
        var note: String? = "a b"
    }

    @Test("Query parameters beside a body require an encoding for the query")
    func badComposite() throws {
        for encoding in [ParameterEncoding.form, .json] {
            let task = RequestTask.json(Weight()).adding(query: ["a": 1], encoding: encoding)
            let error = try Outgoing.refusal(Anything(method: .post, task: task))
            #expect(error.message.contains("encoding for the query"))
        }
    }

    @Test("A body and query parameters are sent together")
    func composite() throws {
        for task in [
            RequestTask.json(Weight(note: nil)).adding(query: ["a": 1, "b": "x y"]),
            .requestCompositeParameters(
                bodyParameters: ["weight": 71.5], bodyEncoding: .json, urlParameters: ["a": 1, "b": "x y"]),
            .requestCompositeData(
                bodyData: Array(#"{"weight":71.5}"#.utf8)[...], urlParameters: ["a": 1, "b": "x y"]),
        ] {
            let call = try Outgoing.call(Anything(method: .post, task: task))
            #expect(call.query == "a=1&b=x%20y")
            #expect(try call.body.collect() == Array(#"{"weight":71.5}"#.utf8)[...])
        }
    }

    @Test("A body that is JSON already is sent as it is")
    func fragment() throws {
        let text = #"{"a": 1,"a":[2.50]}"#
        let task = RequestTask.json(try JSONFragment(validating: Array(text.utf8)[...]))
        let call = try Outgoing.call(Anything(method: .post, task: task))
        #expect(try call.body.collect() == Array(text.utf8)[...])
        #expect(call.fields[.contentType] == "application/json")
    }

    @Test("Query parameters are added to existing ones and to the path's query")
    func added() throws {
        let none: Int? = nil
        let task = RequestTask.parameters(["a": 1], encoding: .query).adding(query: ["b": 2])
            .adding(query: ["none": none]).adding(query: ["c": 3], encoding: .query(lists: .brackets))
        #expect(try Outgoing.call(Anything(task: task)).query == "a=1&b=2&c=3")
        #expect(try Outgoing.call(Anything(path: "/x?z=0", task: task)).query == "z=0&a=1&b=2&c=3")
        #expect(try Outgoing.call(Anything(task: .plain.adding(query: ["b": 2]))).query == "b=2")
        #expect(try Outgoing.call(Anything(task: .plain.adding(query: ["b": none]))).query == nil)
        #expect(
            try Outgoing.call(Anything(task: .query(["a": 1]).adding(query: ["b": 2]))).query == "a=1&b=2")
    }

    @Test("A model is sent as a form or as a query")
    func models() throws {
        let form = try Outgoing.call(Anything(method: .post, task: .form(Weight())))
        #expect(try form.body.collect() == Array("note=a%20b&weight=71.5".utf8)[...])
        #expect(form.fields[.contentType] == "application/x-www-form-urlencoded")
        let query = try Outgoing.call(Anything(path: "/x?a=1", task: .query(Weight())))
        #expect(query.query == "a=1&note=a%20b&weight=71.5")
        #expect(query.body.isNone)
        #expect(query.fields[.contentType] == nil)
    }

    @Test("A model that cannot be encoded as a query fails the call with the encoder's error")
    func badModel() throws {
        let error = try Outgoing.refusal(Anything(task: .query([1, 2])))
        #expect(error.underlying is EncodingError)
    }

    @Test("The target's content type takes precedence, and bytes have none by default")
    func contentType() throws {
        let own = try Outgoing.call(
            Anything(
                method: .post, headers: [.contentType: "application/vnd.api+json"], task: .json(Weight())))
        #expect(own.fields.values(of: .contentType) == ["application/vnd.api+json"])
        #expect(
            try Outgoing.call(Anything(method: .post, task: .requestData([1]))).fields[.contentType] == nil)
    }

    private struct Upper: RequestEncoder {
        let contentType = "text/plain"
        func encodeBody(_ value: some Encodable) -> ArraySlice<UInt8> {
            Array("\(value)".uppercased().utf8)[...]
        }
    }

    @Test("A custom encoder may write another format")
    func ownFormat() throws {
        let call = try Outgoing.call(Anything(method: .post, task: .json("abc", encoder: Upper())))
        #expect(try call.body.collect() == Array("ABC".utf8)[...])
        #expect(call.fields[.contentType] == "text/plain")
    }
}
