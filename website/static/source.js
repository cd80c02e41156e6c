/* The reader's choice of light or dark on the other pages holds here too. */
"use strict";
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  /* a browser that stores nothing: its own preference holds */
}
