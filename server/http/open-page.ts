// GET /open (specs/portable-bundle.md). One static file, the same for every user; a dropped file never leaves the browser.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { problemResponse } from './problem.ts'

const FILE = 'packages/cli/dist/portable-page.html'

export async function getOpenPage(): Promise<Response> {
  try {
    // The server runs in the folder of the repository (scripts/start.mjs).
    const page = await readFile(path.join(process.cwd(), FILE))
    return new Response(page, {
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    })
  } catch {
    return problemResponse({
      status: 404,
      title: 'Not found',
      detail: 'The page was not built. Run "npm run build:page".',
    })
  }
}
