/// Domains under which anyone can register a name. A cookie for such a domain would reach strangers (RFC 6265bis
/// 5.7.3). A short built-in list, incomplete but the same on every machine (see `CookieJar`).
enum PublicSuffixes {
    /// - Parameter domain: in lower case, without leading or trailing dots.
    static func contains(_ domain: String) -> Bool {
        guard let dot = domain.utf8.lastIndex(of: UInt8(ascii: ".")) else { return true }
        if hosting.contains(domain[...]) { return true }
        let label = domain[..<dot]
        let country = String(domain[dot...].dropFirst())
        guard !label.contains(".") else { return false }
        return wholeCountries.contains(country) || secondLevels[country]?.contains(label) == true
    }

    /// Countries in which every second level is a public suffix.
    private static let wholeCountries: Set<String> = ["bd", "ck", "er", "fk", "jm", "kh", "mm", "np", "pg"]

    private static let secondLevels: [String: Set<Substring>] = [
        "ae": "ac co gov mil net org sch",
        "ar": "com edu gob gov int mil net org",
        "at": "ac co gv or",
        "au": "asn com edu gov id net org",
        "br": "adv art blog com edu eng gov ind inf jus leg med mil net org tv",
        "cn": "ac com edu gov mil net org",
        "co": "com edu gov mil net nom org",
        "cr": "ac co ed fi go or sa",
        "cy": "ac com gov ltd net org",
        "do": "com edu gob gov mil net org web",
        "ec": "com edu fin gob gov info k12 med mil net org",
        "eg": "com edu eun gov mil name net org sci",
        "es": "com edu gob nom org",
        "fr": "asso com gouv nom prd tm",
        "gh": "com edu gov mil org",
        "gr": "com edu gov net org",
        "gt": "com edu gob ind mil net org",
        "hk": "com edu gov idv net org",
        "hu": "co info org",
        "id": "ac co desa go mil my net or sch web",
        "il": "ac co gov idf k12 muni net org",
        "in": "ac co edu firm gen gov ind mil net nic org res",
        "ir": "ac co gov id net org sch",
        "jp": "ac ad co ed go gr lg ne or",
        "ke": "ac co go info me mobi ne or sc",
        "kr": "ac co es go hs kg mil ms ne or pe re sc",
        "kz": "com edu gov mil net org",
        "lk": "ac com edu gov net org sch",
        "ma": "ac co gov net org press",
        "mx": "com edu gob net org",
        "my": "com edu gov mil name net org",
        "ng": "com edu gov i mil mobi name net org sch",
        "nz": "ac co geek gen govt iwi kiwi maori mil net org school",
        "pe": "com edu gob mil net nom org",
        "ph": "com edu gov i mil net ngo org",
        "pk": "com edu fam gob gok gon gop gos gov info net org web",
        "pl": "com edu gov info net org waw",
        "pt": "com edu gov int net nome org publ",
        "py": "com coop edu gov mil net org",
        "ro": "com info nom org rec store tm www",
        "rs": "ac co edu gov in org",
        "ru": "ac edu gov int mil",
        "sa": "com edu gov med net org pub sch",
        "sg": "com edu gov net org per",
        "sv": "com edu gob org red",
        "th": "ac co go in mi net or",
        "tr": "av bel bbs biz com dr edu gen gov info k12 kep mil name net org pol tel tv web",
        "tw": "club com ebiz edu game gov idv mil net org",
        "tz": "ac co go hotel info me mil mobi ne or sc tv",
        "ua": "com edu gov in kiev kyiv lviv net odessa org",
        "ug": "ac co com go ne or org sc",
        "uk": "ac co gov ltd me net nhs org plc police",
        "us": "fed isa kids",
        "uy": "com edu gub mil net org",
        "ve": "co com edu gob gov info mil net org web",
        "vn": "ac biz com edu gov health info int name net org pro",
        "za": "ac co gov law mil net nom org school web",
        "zm": "ac biz co com edu gov info mil net org sch",
        "zw": "ac co gov mil org",
    ].mapValues { Set($0.split(separator: " ")) }

    private static let hosting = Set(
        """
        appspot.com azurestaticapps.net azurewebsites.net bitbucket.io blogspot.co.uk blogspot.com br.com
        cloudapp.net cloudfront.net cloudns.org cn.com co.com ddns.net de.com deno.dev duckdns.org
        dyndns.org elasticbeanstalk.com eu.com eu.org firebaseapp.com fly.dev gb.net github.io
        githubpreview.dev gitlab.io glitch.me herokuapp.com hf.space jpn.com my.id myshopify.com netlify.app
        ngrok-free.app ngrok.app ngrok.io no-ip.org now.sh ondigitalocean.app onrender.com pages.dev
        readthedocs.io repl.co replit.app ru.com run.app s3.amazonaws.com sa.com streamlit.app
        translate.goog trycloudflare.com uk.com uk.net us.com vercel.app web.app webflow.io wixsite.com
        workers.dev za.com
        """.split { $0 == " " || $0.isNewline })
}
