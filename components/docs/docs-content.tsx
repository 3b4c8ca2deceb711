import { type ExtraProps, toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { toString as textOf } from 'hast-util-to-string'
import type { ComponentProps } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import { withPrefix } from '@/components/paths/prefix.ts'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import type { Markdown } from '@/server/docs/markdown.ts'

export function DocsContent({ tree }: Pick<Markdown, 'tree'>) {
  const content = toJsxRuntime(tree, {
    Fragment,
    jsx,
    jsxs,
    components: { a: Anchor, img: Drawing, table: Table, pre: Code },
    passNode: true,
  })
  return <article className="docs min-w-0 pb-12">{content}</article>
}

function Anchor({ href = '', children }: ComponentProps<'a'>) {
  const isPage = href.startsWith('/docs')
  return isPage ? <Link href={href}>{children}</Link> : <a href={href}>{children}</a>
}

// Scrolled by keyboard, these need the focus.

/** One image for each theme; the browser fetches only the visible one. */
function Drawing({ src = '', alt = '' }: ComponentProps<'img'>) {
  const source = (theme: string) => withPrefix(`${String(src)}?theme=${theme}`)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has fields
    <span className="block overflow-x-auto" role="group" aria-label="Drawing" tabIndex={0}>
      {/* biome-ignore lint/performance/noImgElement: next/image does not optimize drawings */}
      <img src={source('light')} alt={alt} loading="lazy" className="dark:hidden" />
      {/* biome-ignore lint/performance/noImgElement: next/image does not optimize drawings */}
      <img src={source('dark')} alt={alt} loading="lazy" className="hidden dark:block" />
    </span>
  )
}

function Table({ children }: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <section className="overflow-x-auto" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  )
}

function Code({ children, node }: ComponentProps<'pre'> & ExtraProps) {
  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls */}
      <pre tabIndex={0} className="max-sm:whitespace-pre-wrap max-sm:wrap-anywhere">
        {children}
      </pre>
      <span className="absolute top-px right-px rounded-control bg-surface">
        <CopyButton
          text={node === undefined ? '' : textOf(node).trimEnd()}
          label="Copy this block"
        />
      </span>
    </div>
  )
}
