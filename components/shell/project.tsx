'use client'
// Project of the page. For users with several, the address names it (`?project=`); links inside the console omit it, so it is put back
// after each navigation. A tab changes its project only by the switcher.
import { useQuery } from '@tanstack/react-query'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Select } from '@/components/ui/select.tsx'
import { RailChoice } from './rail-choice.tsx'
import { setCookie } from './set-cookie.ts'

/** The slug that this document was opened with; null while the server renders and for people with one project. */
function readDocumentProject(): string | null {
  return document.documentElement.dataset['project'] ?? null
}

/** Draws nothing. */
export function ProjectInAddress() {
  const path = usePathname()
  const query = useSearchParams().toString()
  useEffect(() => {
    const project = readDocumentProject()
    if (project === null) return
    const params = new URLSearchParams(query)
    if (params.get('project') !== project) {
      params.set('project', project)
      const address = withPrefix(`${path}?${params.toString()}${window.location.hash}`)
      window.history.replaceState(window.history.state, '', address)
    }
    setCookie('sb_project', project)
  }, [path, query])
  return null
}

/** Null for people with one project, and until it is known. */
function useProjectChoice() {
  const trpc = useTRPC()
  const projects = useQuery({ ...trpc.projects.mine.queryOptions(), staleTime: 60_000 }).data
  const current = useQuery({ ...trpc.projects.current.queryOptions(), staleTime: 60_000 }).data
  if (projects === undefined || projects.length < 2 || current === undefined) return null
  const options = projects.map(({ slug, projectName }) => ({ value: slug, label: projectName }))
  return { label: 'Project', value: current.slug, options }
}

/** Opens the Overview of the other project in a new load. */
function openProject(slug: string): void {
  window.location.assign(withPrefix(`/?project=${encodeURIComponent(slug)}`))
}

/** Renders nothing for users with one project. */
export function ProjectSwitcher() {
  const choice = useProjectChoice()
  if (choice === null) return null
  return <Select {...choice} onChange={openProject} className="w-full border-border font-medium" />
}

/** The same for a rail of icons. */
export function ProjectMenu() {
  const choice = useProjectChoice()
  return choice === null ? null : <RailChoice {...choice} onChoose={openProject} />
}
