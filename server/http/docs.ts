// Public: nothing in the documentation depends on who reads it.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { findPage, readNavigation } from '@/server/docs/pages.ts'
import { prepareSearch, searchDocs } from '@/server/docs/search.ts'
import { isAbsent } from '@/server/platform/base/errors.ts'
import { problemResponse } from './problem.ts'

/** Longest question that is searched; the rest is ignored. */
const MOST_CHARACTERS = 200

export async function readDocsPage(segments: readonly string[]) {
  const [page, navigation] = await Promise.all([findPage(segments), readNavigation()])
  prepareSearch()
  return { page, navigation }
}

export async function findDocsHits(question: string) {
  const [hits, navigation] = await Promise.all([
    searchDocs(question.slice(0, MOST_CHARACTERS)),
    readNavigation(),
  ])
  return { hits, navigation }
}

const DRAWING = /^[a-z0-9-]+\.svg$/
const DARK = '@media (prefers-color-scheme: dark)'

/** GET /docs/images/<file>. A page of the console has its own theme, which an image cannot see: `?theme=light` and `?theme=dark` select it. */
export async function getDocsImage(
  request: Request,
  { params }: { readonly params: Promise<{ readonly file: string }> },
): Promise<Response> {
  const { file } = await params
  const theme = new URL(request.url).searchParams.get('theme')
  const drawing = DRAWING.test(file) ? await readDrawing(file) : null
  if (drawing === null)
    return problemResponse({
      status: 404,
      title: 'Not found',
      detail: 'The documentation has no image of this name.',
    })
  const medium = theme === 'dark' ? '@media all' : '@media not all'
  const shown = theme === null ? drawing : drawing.replaceAll(DARK, medium)
  return new Response(shown, {
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=3600' },
  })
}

/** Null: there is no such file. */
async function readDrawing(file: string): Promise<string | null> {
  try {
    return await readFile(path.join(process.cwd(), 'docs/images', file), 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}
