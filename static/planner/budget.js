// Configurations by budget: the page works without this; with it the help of a row does not move under the pointer.

import { showHelpIn } from "./help.js";

showHelpIn(document.getElementById("budget"));
