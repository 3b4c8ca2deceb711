// The page that opens portable bundles: one HTML file beside the built command, made by scripts/build-page.mjs.
import { readFile } from 'node:fs/promises'
import { Unusable } from '../io.ts'

/** Element from which the page reads an embedded bundle. */
const PLACE = '<script type="text/plain" id="bundle"></script>'

/** The page with the bundle in it. Throws Unusable where the package was built without its page. */
export async function pageWith(bundle: Uint8Array): Promise<string> {
  const page = await readPage()
  const filled = `<script type="text/plain" id="bundle">${Buffer.from(bundle).toString('base64')}</script>`
  const at = page.lastIndexOf(PLACE)
  if (at < 0) throw new Unusable('The page of this build has no place for a bundle.')
  return `${page.slice(0, at)}${filled}${page.slice(at + PLACE.length)}`
}

async function readPage(): Promise<string> {
  try {
    return await readFile(new URL('../portable-page.html', import.meta.url), 'utf8')
  } catch {
    throw new Unusable('The page is not part of this build. Build it with "npm run build:page".')
  }
}
