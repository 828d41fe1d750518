import Testing

@testable import HTTPInbound

struct DateHeaderTests {
    @Test("The present date is 29 bytes long")
    func current() {
        var date = DateHeader()
        #expect(date.current.count == 29)
    }
}
