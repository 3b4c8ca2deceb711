'use client'
// Which project the page is about. The address says it (`?project=`) for people who have several; links inside the console do not
// repeat it, so it is put back after each step, and a tab never leaves its project but by the switcher.
import { useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { useTRPC } from '../trpc-provider.tsx'
import { Select } from '../ui/select.tsx'
import { setCookie } from './set-cookie.ts'

/** The slug that this document was opened with; null while the server renders and for people with one project. */
function projectOfDocument(): string | null {
  return document.documentElement.dataset['project'] ?? null
}

/** Draws nothing. */
export function ProjectInAddress() {
  const path = usePathname()
  const query = useSearchParams().toString()
  useEffect(() => {
    const project = projectOfDocument()
    if (project === null) return
    const params = new URLSearchParams(query)
    if (params.get('project') !== project) {
      params.set('project', project)
      const address = `${path}?${params.toString()}${window.location.hash}`
      window.history.replaceState(window.history.state, '', address)
    }
    setCookie('sb_project', project)
  }, [path, query])
  return null
}

/** Nothing for people with one project. Switching opens the Overview of the other one anew. */
export function ProjectSwitcher() {
  const trpc = useTRPC()
  const projects = useQuery({ ...trpc.projects.mine.queryOptions(), staleTime: 60_000 }).data
  const current = useQuery({ ...trpc.projects.current.queryOptions(), staleTime: 60_000 }).data
  if (projects === undefined || projects.length < 2 || current === undefined) return null
  return (
    <Select
      label="Project"
      value={current.slug}
      options={projects.map(({ slug, projectName }) => ({ value: slug, label: projectName }))}
      onChange={(slug) => window.location.assign(`/?project=${encodeURIComponent(slug)}`)}
      className="w-full border-border font-medium"
    />
  )
}
