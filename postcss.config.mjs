// Tailwind 4 runs as a PostCSS plugin; its theme is in app/globals.css.
export default { plugins: { '@tailwindcss/postcss': {} } }
