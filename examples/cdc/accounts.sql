-- Accounts, and beside them what a trigger writes down of each change: the table that the history is held against.
CREATE TABLE account (id text PRIMARY KEY, owner text, status text, balance numeric(12,2), opened timestamptz, note text);
ALTER TABLE account ALTER COLUMN note SET STORAGE EXTERNAL;  -- long notes lie beside the row, and are not sent when they do not change

CREATE TABLE audit (seq bigserial PRIMARY KEY, gone boolean, LIKE account);

CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND OLD.id <> NEW.id) THEN
    INSERT INTO audit SELECT nextval('audit_seq_seq'), true, OLD.*;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO audit SELECT nextval('audit_seq_seq'), false, NEW.*;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION audited();
