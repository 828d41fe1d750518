import { translate } from "./language.js";

// On its own, because it needs few modules: on a slow connection the texts appear before the rest has arrived.
translate();
