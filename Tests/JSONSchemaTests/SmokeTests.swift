import JSONBytes
import JSONSchema
import Testing

@Test("smoke")
func smoke() throws {
    let schema = try JSONSchema(json: #"{"type":"object","required":["a"]}"#)
    #expect(schema.accepts(try JSONFragment(parsing: #"{"a":1}"#)))
}
