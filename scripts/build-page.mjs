// @ts-check
// One HTML file that sends no request. It ships with the command (signalbox open --page), and the console serves it under /open.
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import tailwind from '@tailwindcss/postcss'
import { build } from 'esbuild'
import postcss from 'postcss'
import { ROOT } from './build-steps.mjs'

const OUTPUT = path.join(ROOT, 'packages/cli/dist/portable-page.html')
const STYLES = path.join(ROOT, 'app/globals.css')
const FONTS = path.join(ROOT, 'node_modules/geist/dist/fonts')
/** Limit that catches mistakes: users open the page from an email or a ticket. */
const MOST_BYTES = 1_600_000

/** The page has no router, so a link is a plain anchor. @type {import('esbuild').Plugin} */
const plainLinks = {
  name: 'plain-links',
  setup(builder) {
    builder.onResolve({ filter: /^next\/link$/ }, () => ({ path: 'link', namespace: 'plain' }))
    builder.onLoad({ filter: /./, namespace: 'plain' }, () => ({
      contents:
        "import { jsx } from 'react/jsx-runtime'; export default (props) => jsx('a', props)",
      resolveDir: ROOT,
    }))
  },
}

/** @returns {Promise<{ text: string, inputs: readonly string[] }>} */
async function script() {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(ROOT, 'components/pages/portable-main.tsx')],
    absWorkingDir: ROOT,
    tsconfig: path.join(ROOT, 'tsconfig.json'),
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    legalComments: 'none',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [plainLinks],
  })
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
}

/** @param {string} file @param {string} name */
function font(file, name) {
  const data = fs.readFileSync(path.join(FONTS, file)).toString('base64')
  return `@font-face{font-family:${name};font-weight:100 900;src:url(data:font/woff2;base64,${data}) format("woff2")}`
}

/** The console's own tokens, and only the classes that the page's modules use. @param {readonly string[]} inputs */
async function styles(inputs) {
  const own = inputs.filter((file) => file.startsWith('components/'))
  const sources = own.map((file) => `@source "${path.join(ROOT, file)}";`)
  const text = fs
    .readFileSync(STYLES, 'utf8')
    .replace(
      '@import "tailwindcss";',
      ['@import "tailwindcss" source(none);', ...sources].join('\n'),
    )
  const plugin = tailwind({ base: ROOT, optimize: { minify: true } })
  const { css } = await postcss([plugin]).process(text, { from: STYLES })
  const names = ':root{--font-geist-sans:Geist;--font-geist-mono:GeistMono}'
  const fonts = [
    font('geist-sans/Geist-Variable.woff2', 'Geist'),
    font('geist-mono/GeistMono-Variable.woff2', 'GeistMono'),
  ]
  return [...fonts, names, css].join('')
}

/** @param {string} text */
function source(text) {
  return `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`
}

const { text, inputs } = await script()
const css = await styles(inputs)
const policy = [
  "default-src 'none'",
  `script-src ${source(text)}`,
  `style-src ${source(css)}`,
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Open a portable bundle · Signalbox</title>
<style>${css}</style>
</head>
<body>
<div id="root"></div>
<script type="text/plain" id="bundle"></script>
<script>${text}</script>
</body>
</html>
`
const bytes = Buffer.byteLength(page)
if (bytes > MOST_BYTES)
  throw new Error(`The page has ${bytes} bytes; at most ${MOST_BYTES} are allowed.`)
fs.mkdirSync(path.dirname(OUTPUT), { recursive: true })
fs.writeFileSync(OUTPUT, page)
process.stdout.write(`${path.relative(ROOT, OUTPUT)}: ${(bytes / 1000).toFixed(0)} kB\n`)
