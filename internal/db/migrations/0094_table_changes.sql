-- Tables:
-- How often the rows of some tables have changed: on SQLite, what was read from them is remembered as long as these numbers stay the same. Nothing is
-- remembered on PostgreSQL. A pipeline's number of its next build changes with every build, and is not counted.
{{if .SQLite}}
CREATE TABLE IF NOT EXISTS table_changes (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    users BIGINT NOT NULL DEFAULT 0,
    organizations BIGINT NOT NULL DEFAULT 0,
    organization_counts BIGINT NOT NULL DEFAULT 0,
    organization_members BIGINT NOT NULL DEFAULT 0,
    api_tokens BIGINT NOT NULL DEFAULT 0,
    api_token_organizations BIGINT NOT NULL DEFAULT 0,
    user_sessions BIGINT NOT NULL DEFAULT 0,
    portals BIGINT NOT NULL DEFAULT 0,
    portal_tokens BIGINT NOT NULL DEFAULT 0,
    teams BIGINT NOT NULL DEFAULT 0,
    team_members BIGINT NOT NULL DEFAULT 0,
    team_pipelines BIGINT NOT NULL DEFAULT 0,
    clusters BIGINT NOT NULL DEFAULT 0,
    cluster_maintainers BIGINT NOT NULL DEFAULT 0,
    cluster_queues BIGINT NOT NULL DEFAULT 0,
    pipelines BIGINT NOT NULL DEFAULT 0
);
INSERT INTO table_changes (id) VALUES (1) ON CONFLICT DO NOTHING;

CREATE TRIGGER users_added AFTER INSERT ON users BEGIN UPDATE table_changes SET users = users + 1; END;
CREATE TRIGGER users_changed AFTER UPDATE ON users BEGIN UPDATE table_changes SET users = users + 1; END;
CREATE TRIGGER users_removed AFTER DELETE ON users BEGIN UPDATE table_changes SET users = users + 1; END;
CREATE TRIGGER organizations_added AFTER INSERT ON organizations BEGIN UPDATE table_changes SET organizations = organizations + 1; END;
CREATE TRIGGER organizations_changed AFTER UPDATE ON organizations BEGIN UPDATE table_changes SET organizations = organizations + 1; END;
CREATE TRIGGER organizations_removed AFTER DELETE ON organizations BEGIN UPDATE table_changes SET organizations = organizations + 1; END;
CREATE TRIGGER organization_counts_added AFTER INSERT ON organization_counts BEGIN UPDATE table_changes SET organization_counts = organization_counts + 1; END;
CREATE TRIGGER organization_counts_changed AFTER UPDATE ON organization_counts BEGIN UPDATE table_changes SET organization_counts = organization_counts + 1; END;
CREATE TRIGGER organization_counts_removed AFTER DELETE ON organization_counts BEGIN UPDATE table_changes SET organization_counts = organization_counts + 1; END;
CREATE TRIGGER organization_members_added AFTER INSERT ON organization_members BEGIN UPDATE table_changes SET organization_members = organization_members + 1; END;
CREATE TRIGGER organization_members_changed AFTER UPDATE ON organization_members BEGIN UPDATE table_changes SET organization_members = organization_members + 1; END;
CREATE TRIGGER organization_members_removed AFTER DELETE ON organization_members BEGIN UPDATE table_changes SET organization_members = organization_members + 1; END;
CREATE TRIGGER api_tokens_added AFTER INSERT ON api_tokens BEGIN UPDATE table_changes SET api_tokens = api_tokens + 1; END;
CREATE TRIGGER api_tokens_changed AFTER UPDATE ON api_tokens BEGIN UPDATE table_changes SET api_tokens = api_tokens + 1; END;
CREATE TRIGGER api_tokens_removed AFTER DELETE ON api_tokens BEGIN UPDATE table_changes SET api_tokens = api_tokens + 1; END;
CREATE TRIGGER api_token_organizations_added AFTER INSERT ON api_token_organizations BEGIN UPDATE table_changes SET api_token_organizations = api_token_organizations + 1; END;
CREATE TRIGGER api_token_organizations_changed AFTER UPDATE ON api_token_organizations BEGIN UPDATE table_changes SET api_token_organizations = api_token_organizations + 1; END;
CREATE TRIGGER api_token_organizations_removed AFTER DELETE ON api_token_organizations BEGIN UPDATE table_changes SET api_token_organizations = api_token_organizations + 1; END;
CREATE TRIGGER user_sessions_added AFTER INSERT ON user_sessions BEGIN UPDATE table_changes SET user_sessions = user_sessions + 1; END;
CREATE TRIGGER user_sessions_changed AFTER UPDATE ON user_sessions BEGIN UPDATE table_changes SET user_sessions = user_sessions + 1; END;
CREATE TRIGGER user_sessions_removed AFTER DELETE ON user_sessions BEGIN UPDATE table_changes SET user_sessions = user_sessions + 1; END;
CREATE TRIGGER portals_added AFTER INSERT ON portals BEGIN UPDATE table_changes SET portals = portals + 1; END;
CREATE TRIGGER portals_changed AFTER UPDATE ON portals BEGIN UPDATE table_changes SET portals = portals + 1; END;
CREATE TRIGGER portals_removed AFTER DELETE ON portals BEGIN UPDATE table_changes SET portals = portals + 1; END;
CREATE TRIGGER portal_tokens_added AFTER INSERT ON portal_tokens BEGIN UPDATE table_changes SET portal_tokens = portal_tokens + 1; END;
CREATE TRIGGER portal_tokens_changed AFTER UPDATE ON portal_tokens BEGIN UPDATE table_changes SET portal_tokens = portal_tokens + 1; END;
CREATE TRIGGER portal_tokens_removed AFTER DELETE ON portal_tokens BEGIN UPDATE table_changes SET portal_tokens = portal_tokens + 1; END;
CREATE TRIGGER teams_added AFTER INSERT ON teams BEGIN UPDATE table_changes SET teams = teams + 1; END;
CREATE TRIGGER teams_changed AFTER UPDATE ON teams BEGIN UPDATE table_changes SET teams = teams + 1; END;
CREATE TRIGGER teams_removed AFTER DELETE ON teams BEGIN UPDATE table_changes SET teams = teams + 1; END;
CREATE TRIGGER team_members_added AFTER INSERT ON team_members BEGIN UPDATE table_changes SET team_members = team_members + 1; END;
CREATE TRIGGER team_members_changed AFTER UPDATE ON team_members BEGIN UPDATE table_changes SET team_members = team_members + 1; END;
CREATE TRIGGER team_members_removed AFTER DELETE ON team_members BEGIN UPDATE table_changes SET team_members = team_members + 1; END;
CREATE TRIGGER team_pipelines_added AFTER INSERT ON team_pipelines BEGIN UPDATE table_changes SET team_pipelines = team_pipelines + 1; END;
CREATE TRIGGER team_pipelines_changed AFTER UPDATE ON team_pipelines BEGIN UPDATE table_changes SET team_pipelines = team_pipelines + 1; END;
CREATE TRIGGER team_pipelines_removed AFTER DELETE ON team_pipelines BEGIN UPDATE table_changes SET team_pipelines = team_pipelines + 1; END;
CREATE TRIGGER clusters_added AFTER INSERT ON clusters BEGIN UPDATE table_changes SET clusters = clusters + 1; END;
CREATE TRIGGER clusters_changed AFTER UPDATE ON clusters BEGIN UPDATE table_changes SET clusters = clusters + 1; END;
CREATE TRIGGER clusters_removed AFTER DELETE ON clusters BEGIN UPDATE table_changes SET clusters = clusters + 1; END;
CREATE TRIGGER cluster_maintainers_added AFTER INSERT ON cluster_maintainers BEGIN UPDATE table_changes SET cluster_maintainers = cluster_maintainers + 1; END;
CREATE TRIGGER cluster_maintainers_changed AFTER UPDATE ON cluster_maintainers BEGIN UPDATE table_changes SET cluster_maintainers = cluster_maintainers + 1; END;
CREATE TRIGGER cluster_maintainers_removed AFTER DELETE ON cluster_maintainers BEGIN UPDATE table_changes SET cluster_maintainers = cluster_maintainers + 1; END;
CREATE TRIGGER cluster_queues_added AFTER INSERT ON cluster_queues BEGIN UPDATE table_changes SET cluster_queues = cluster_queues + 1; END;
CREATE TRIGGER cluster_queues_changed AFTER UPDATE ON cluster_queues BEGIN UPDATE table_changes SET cluster_queues = cluster_queues + 1; END;
CREATE TRIGGER cluster_queues_removed AFTER DELETE ON cluster_queues BEGIN UPDATE table_changes SET cluster_queues = cluster_queues + 1; END;
CREATE TRIGGER pipelines_added AFTER INSERT ON pipelines BEGIN UPDATE table_changes SET pipelines = pipelines + 1; END;
CREATE TRIGGER pipelines_changed AFTER UPDATE ON pipelines WHEN NEW.next_build_number = OLD.next_build_number BEGIN UPDATE table_changes SET pipelines = pipelines + 1; END;
CREATE TRIGGER pipelines_removed AFTER DELETE ON pipelines BEGIN UPDATE table_changes SET pipelines = pipelines + 1; END;
{{end}}
